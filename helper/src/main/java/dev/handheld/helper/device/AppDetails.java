package dev.handheld.helper.device;

import java.util.List;

/** The package manager's details of an installed app. */
public final class AppDetails {
    public final App app;
    public final boolean enabled;
    public final boolean debuggable;
    public final int minSdk;
    public final int targetSdk;
    /** The package that installed it; null for none. */
    public final String installer;
    /** By the phone's clock, as `2026-02-11 09:41:10`. */
    public final String installedAt;
    public final String updatedAt;
    /** SHA-256 in hex of the newest certificate in the signing history; "" for none. */
    public final String signer;
    /** Bytes of the app, of its data with the cache, and of the cache; null if unknown. */
    public final long[] sizes;
    /** The permissions that it requests. */
    public final List<Permission> permissions;

    public AppDetails(
            App app,
            boolean enabled,
            boolean debuggable,
            int minSdk,
            int targetSdk,
            String installer,
            String installedAt,
            String updatedAt,
            String signer,
            long[] sizes,
            List<Permission> permissions) {
        this.app = app;
        this.enabled = enabled;
        this.debuggable = debuggable;
        this.minSdk = minSdk;
        this.targetSdk = targetSdk;
        this.installer = installer;
        this.installedAt = installedAt;
        this.updatedAt = updatedAt;
        this.signer = signer;
        this.sizes = sizes == null ? null : sizes.clone();
        this.permissions = permissions;
    }

    /** A permission that an app requests. */
    public static final class Permission {
        public final String name;
        public final boolean granted;
        /** Whether the owner grants it. */
        public final boolean runtime;

        public Permission(String name, boolean granted, boolean runtime) {
            this.name = name;
            this.granted = granted;
            this.runtime = runtime;
        }
    }
}
