package dev.handheld.apptools;

import android.content.Context;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.Signature;
import android.os.Build;
import android.os.Process;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Who may call. A component without such a rule answers everybody, like every exported component
 * without a permission.
 *
 * <p>Android reports the caller of a provider and of a function reliably. To a service it only
 * reports the owner of the callback, and adb's shell cannot prove that it is the owner. A service
 * for the shell alone therefore declares {@code android:permission="android.permission.DUMP"} in
 * the manifest, which the shell has and other apps cannot get.
 */
public abstract class Callers {
    private static final Callers ANYBODY =
            new Callers() {
                @Override
                boolean allows(Context context, Caller caller) {
                    return true;
                }
            };

    Callers() {}

    abstract boolean allows(Context context, Caller caller);

    /** Everybody. */
    public static Callers anybody() {
        return ANYBODY;
    }

    /** Only adb's shell, the identity that Handheld calls with. */
    public static Callers shell() {
        return new Callers() {
            @Override
            boolean allows(Context context, Caller caller) {
                return caller.isKnown() && caller.isShell();
            }
        };
    }

    /** Callers that hold this permission. */
    public static Callers with(final String permission) {
        return new Callers() {
            @Override
            boolean allows(Context context, Caller caller) {
                return caller.isKnown()
                        && context.checkPermission(permission, caller.pid, caller.uid)
                                == PackageManager.PERMISSION_GRANTED;
            }
        };
    }

    /** Apps signed with the same key as this app, and this app itself. */
    public static Callers sameSignature() {
        return new Callers() {
            @Override
            boolean allows(Context context, Caller caller) {
                return caller.isKnown()
                        && context.getPackageManager().checkSignatures(caller.uid, Process.myUid())
                                == PackageManager.SIGNATURE_MATCH;
            }
        };
    }

    /**
     * Apps that are signed by one of these certificates.
     *
     * @param sha256 digests of the certificates in DER, 64 hexadecimal digits each, with or without
     *     colons
     */
    public static Callers signedBy(String... sha256) {
        final byte[][] digests = new byte[sha256.length][];
        for (int one = 0; one < sha256.length; one++) {
            digests[one] = digest(sha256[one]);
        }
        return new Callers() {
            @Override
            boolean allows(Context context, Caller caller) {
                for (byte[] one : digests) {
                    if (caller.isKnown() && isSigned(context.getPackageManager(), caller, one)) {
                        return true;
                    }
                }
                return false;
            }
        };
    }

    /** The callers that this rule or the other one allows. */
    public Callers or(final Callers other) {
        final Callers first = this;
        return new Callers() {
            @Override
            boolean allows(Context context, Caller caller) {
                return first.allows(context, caller) || other.allows(context, caller);
            }
        };
    }

    private static byte[] digest(String text) {
        String digits = text.replace(":", "");
        byte[] digest = new byte[digits.length() / 2];
        if (digits.length() != 64) {
            throw new IllegalArgumentException("No SHA-256 digest: " + text);
        }
        for (int one = 0; one < digest.length; one++) {
            String pair = digits.substring(2 * one, 2 * one + 2);
            digest[one] = (byte) Integer.parseInt(pair, 16);
        }
        return digest;
    }

    private static boolean isSigned(PackageManager packages, Caller caller, byte[] digest) {
        if (Build.VERSION.SDK_INT >= 28) {
            return packages.hasSigningCertificate(
                    caller.uid, digest, PackageManager.CERT_INPUT_SHA256);
        }
        String[] names = packages.getPackagesForUid(caller.uid);
        for (String name : names == null ? Collections.<String>emptyList() : Arrays.asList(names)) {
            if (signers(packages, name).contains(Arrays.toString(digest))) {
                return true;
            }
        }
        return false;
    }

    @SuppressWarnings("deprecation") // Until API 27 there is nothing else.
    private static List<String> signers(PackageManager packages, String name) {
        try {
            PackageInfo info = packages.getPackageInfo(name, PackageManager.GET_SIGNATURES);
            if (info.signatures.length != 1) {
                // Android before 28 could be made to take the first of several for the signer.
                return Collections.emptyList();
            }
            Signature only = info.signatures[0];
            byte[] found = MessageDigest.getInstance("SHA-256").digest(only.toByteArray());
            return Collections.singletonList(Arrays.toString(found));
        } catch (PackageManager.NameNotFoundException gone) {
            return Collections.emptyList();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
