package dev.handheld.helper.compat;

import android.content.Intent;
import android.content.pm.ApplicationInfo;
import android.content.pm.ComponentInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.ProviderInfo;
import android.content.pm.ResolveInfo;
import android.content.pm.ServiceInfo;
import android.content.pm.Signature;
import android.content.pm.SigningInfo;
import android.content.res.Resources;
import android.content.res.XmlResourceParser;
import android.os.Build;
import android.os.Bundle;
import dev.handheld.helper.device.Component;
import dev.handheld.helper.device.Element;
import dev.handheld.helper.device.Offers;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.xmlpull.v1.XmlPullParser;
import org.xmlpull.v1.XmlPullParserException;

/** The components that apps declare, from the package manager. */
final class Declarations {
    private static final String MANAGER = "android.content.pm.PackageManager";
    private static final String INTENT = "android.content.Intent";
    /** The JSON overhead of an element and an attribute: ["",{},[]] and "":"". */
    private static final int ELEMENT_LENGTH = 10;
    private static final int ATTRIBUTE_LENGTH = 5;

    static final Hidden SERVICES =
            Hidden.method(
                    Hidden.form(
                            MANAGER,
                            "queryIntentServicesAsUser",
                            "the same in all versions",
                            INTENT,
                            "int",
                            "int"));
    static final Hidden PROVIDERS =
            Hidden.method(
                    Hidden.form(
                            MANAGER,
                            "queryIntentContentProvidersAsUser",
                            "the same in all versions",
                            INTENT,
                            "int",
                            "int"));
    static final Hidden PACKAGE =
            Hidden.method(
                    Hidden.form(
                            MANAGER,
                            "getPackageInfoAsUser",
                            "the same in all versions",
                            "java.lang.String",
                            "int",
                            "int"));

    private final PackageManager packages;
    private final AndroidPhone phone;

    Declarations(PackageManager packages, AndroidPhone phone) {
        this.packages = packages;
        this.phone = phone;
    }

    List<Component> services() {
        Intent wanted = new Intent(Offers.SERVICE_ACTION);
        Map<String, List<Component>> found = new LinkedHashMap<String, List<Component>>();
        Map<String, App> apps = new HashMap<String, App>();
        for (Object one : query(SERVICES, wanted)) {
            ServiceInfo info = ((ResolveInfo) one).serviceInfo;
            Bundle metaData = info.metaData == null ? new Bundle() : info.metaData;
            add(
                    found,
                    describe(
                            app(apps, info),
                            info,
                            info.permission,
                            null,
                            text(metaData, Offers.NAME_KEY),
                            text(metaData, Offers.DESCRIPTION_KEY)));
        }
        return together(found);
    }

    List<Component> providers() {
        Intent typed = new Intent(Intent.ACTION_VIEW).setType(Offers.PROVIDER_TYPE);
        Intent named = new Intent(Offers.PROVIDER_ACTION);
        List<Object> all = new ArrayList<Object>(query(PROVIDERS, typed));
        all.addAll(query(PROVIDERS, named));
        return describe(all);
    }

    /** Providers as found, some of them twice. */
    List<Component> describe(List<?> all) {
        Map<String, List<Component>> found = new LinkedHashMap<String, List<Component>>();
        Map<String, App> apps = new HashMap<String, App>();
        Set<String> seen = new HashSet<String>();
        for (Object one : all) {
            ProviderInfo info = ((ResolveInfo) one).providerInfo;
            if (info.authority == null || !seen.add(info.packageName + "/" + info.name)) {
                continue;
            }
            // Several authorities are in one string.
            int end = info.authority.indexOf(';');
            String first = end < 0 ? info.authority : info.authority.substring(0, end);
            String reading = info.readPermission;
            String needed = reading != null ? reading : info.writePermission;
            add(found, describe(app(apps, info), info, needed, first, null, null));
        }
        return together(found);
    }

    private List<?> query(Hidden how, Intent intent) {
        return (List<?>) how.call(packages, intent, PackageManager.GET_META_DATA, phone.user());
    }

    private static void add(Map<String, List<Component>> found, Component one) {
        List<Component> own = found.get(one.packageName);
        if (own == null) {
            own = new ArrayList<Component>();
            found.put(one.packageName, own);
        }
        own.add(one);
    }

    private static List<Component> together(Map<String, List<Component>> found) {
        List<Component> all = new ArrayList<Component>();
        for (List<Component> own : found.values()) {
            all.addAll(own);
        }
        return all;
    }

    /** The common values of all components of an app, read once. */
    private static final class App {
        final String label;
        final long versionCode;
        final String signer;

        App(String label, long versionCode, String signer) {
            this.label = label;
            this.versionCode = versionCode;
            this.signer = signer;
        }
    }

    private App app(Map<String, App> known, ComponentInfo info) {
        App app = known.get(info.packageName);
        if (app == null) {
            PackageInfo whole = packageInfo(info.packageName);
            app =
                    new App(
                            AndroidApps.label(info.applicationInfo, packages),
                            whole == null ? 0 : AndroidApps.versionCode(whole),
                            whole == null ? "" : signer(whole));
            known.put(info.packageName, app);
        }
        return app;
    }

    private static Component describe(
            App app,
            ComponentInfo info,
            String permission,
            String authority,
            String name,
            String description) {
        return new Component(
                info.packageName,
                app.label,
                app.versionCode,
                app.signer,
                info.name,
                info.exported,
                permission,
                authority,
                name,
                description);
    }

    @SuppressWarnings("deprecation") // PackageInfo.signingInfo is new in API 28.
    private PackageInfo packageInfo(String name) {
        int flags =
                Build.VERSION.SDK_INT >= 28
                        ? PackageManager.GET_SIGNING_CERTIFICATES
                        : PackageManager.GET_SIGNATURES;
        try {
            return (PackageInfo) PACKAGE.call(packages, name, flags, phone.user());
        } catch (IllegalStateException gone) {
            // Removed since it was listed.
            return null;
        }
    }

    @SuppressWarnings("deprecation")
    static String signer(PackageInfo info) {
        Signature[] known;
        if (Build.VERSION.SDK_INT < 28) {
            known = info.signatures;
        } else {
            SigningInfo signing = info.signingInfo;
            if (signing == null) {
                return "";
            }
            // The last certificate of a history is the current one.
            known =
                    signing.hasMultipleSigners()
                            ? signing.getApkContentsSigners()
                            : signing.getSigningCertificateHistory();
        }
        if (known == null || known.length == 0) {
            return "";
        }
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] certificate = known[known.length - 1].toByteArray();
            return AndroidFiles.hex(digest.digest(certificate));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @SuppressWarnings("deprecation")
    private static String text(Bundle metaData, String key) {
        Object value = metaData.get(key);
        return value == null ? null : value.toString();
    }

    Element descriptor(Component service, int deepest, int longest)
            throws Offers.NoDescriptor {
        ServiceInfo info = find(service);
        if (info == null) {
            throw new Offers.NoDescriptor("The service is no longer there.");
        }
        if (info.metaData == null || info.metaData.getInt(Offers.CAPABILITIES_KEY) == 0) {
            throw new Offers.NoDescriptor(
                    "It has no meta-data "
                            + Offers.CAPABILITIES_KEY
                            + " that names an XML resource.");
        }
        try (XmlResourceParser parser =
                info.loadXmlMetaData(packages, Offers.CAPABILITIES_KEY)) {
            if (parser == null) {
                throw new Offers.NoDescriptor(
                        "Its meta-data "
                                + Offers.CAPABILITIES_KEY
                                + " names no XML resource of the app.");
            }
            Resources words = packages.getResourcesForApplication(info.applicationInfo);
            return read(parser, words, deepest, longest);
        } catch (PackageManager.NameNotFoundException gone) {
            throw new Offers.NoDescriptor("The app is no longer there.");
        } catch (XmlPullParserException | IOException | RuntimeException broken) {
            throw new Offers.NoDescriptor("Its descriptor cannot be read: " + broken.getMessage());
        }
    }

    private ServiceInfo find(Component service) {
        for (Object one : query(SERVICES, new Intent(Offers.SERVICE_ACTION))) {
            ServiceInfo info = ((ResolveInfo) one).serviceInfo;
            if (info.packageName.equals(service.packageName)
                    && info.name.equals(service.className)) {
                return info;
            }
        }
        return null;
    }

    static Element read(XmlResourceParser parser, Resources words, int deepest, int longest)
            throws XmlPullParserException, IOException, Offers.NoDescriptor {
        List<Element> open = new ArrayList<Element>();
        Element root = null;
        int length = 0;
        for (int event = parser.next();
                event != XmlPullParser.END_DOCUMENT;
                event = parser.next()) {
            if (event == XmlPullParser.END_TAG) {
                open.remove(open.size() - 1);
            } else if (event == XmlPullParser.START_TAG) {
                Element element = new Element(parser.getName());
                length += element.tag.length() + ELEMENT_LENGTH;
                for (int one = 0; one < parser.getAttributeCount(); one++) {
                    String value = value(parser, one, words);
                    length +=
                            parser.getAttributeName(one).length()
                                    + value.length()
                                    + ATTRIBUTE_LENGTH;
                    element.attributes.put(parser.getAttributeName(one), value);
                }
                if (length > longest || open.size() >= deepest) {
                    throw new Offers.NoDescriptor("Its descriptor is too large.");
                }
                if (open.isEmpty()) {
                    root = element;
                } else {
                    open.get(open.size() - 1).children.add(element);
                }
                open.add(element);
            }
        }
        if (root == null) {
            throw new Offers.NoDescriptor("Its descriptor is empty.");
        }
        return root;
    }

    /** Resolve a reference: the parser itself would only return its number. */
    private static String value(XmlResourceParser parser, int index, Resources words) {
        int resource = parser.getAttributeResourceValue(index, 0);
        if (resource != 0) {
            return words.getString(resource);
        }
        String value = parser.getAttributeValue(index);
        return value == null ? "" : value;
    }

    /** Whether the current user has such a package. */
    boolean isInstalled(String packageName) {
        PackageInfo info = packageInfo(packageName);
        ApplicationInfo app = info == null ? null : info.applicationInfo;
        return app != null;
    }
}
