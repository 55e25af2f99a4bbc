package dev.handheld.helper.device;

/** A service or provider that an app declares for agents. */
public final class Component {
    public final String packageName;
    /** The app's, in the phone's language. */
    public final String label;
    public final long versionCode;
    /** SHA-256 in hex of the newest certificate in the signing history; "" for none. */
    public final String signer;
    public final String className;
    public final boolean exported;
    /** Null for none. */
    public final String permission;
    /** A provider's first authority; null for a service. */
    public final String authority;
    /** A service's meta-data with references resolved; null if there is none. */
    public final String name;
    public final String description;

    public Component(
            String packageName,
            String label,
            long versionCode,
            String signer,
            String className,
            boolean exported,
            String permission,
            String authority,
            String name,
            String description) {
        this.packageName = packageName;
        this.label = label;
        this.versionCode = versionCode;
        this.signer = signer;
        this.className = className;
        this.exported = exported;
        this.permission = permission;
        this.authority = authority;
        this.name = name;
        this.description = description;
    }
}
