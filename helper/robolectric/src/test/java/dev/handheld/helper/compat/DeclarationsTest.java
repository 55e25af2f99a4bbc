package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;
import static org.robolectric.Shadows.shadowOf;

import android.content.ComponentName;
import android.content.Context;
import android.content.IntentFilter;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.pm.ProviderInfo;
import android.content.pm.ResolveInfo;
import android.content.pm.ServiceInfo;
import android.content.res.Resources;
import android.content.res.XmlResourceParser;
import android.os.Bundle;
import dev.handheld.helper.device.Component;
import dev.handheld.helper.device.Element;
import dev.handheld.helper.device.Offers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadows.ShadowPackageManager;

@RunWith(RobolectricTestRunner.class)
public final class DeclarationsTest {
    private static final String NOTES = "org.notes";
    private static final int DEEP = 32;
    private static final int LONG = 256 * 1024;

    private final Context context = RuntimeEnvironment.getApplication();
    private final PackageManager packages = context.getPackageManager();
    private final ShadowPackageManager phone = shadowOf(packages);
    private final Declarations declarations =
            new Declarations(packages, new AndroidPhone(context));

    @Before
    public void install() {
        PackageInfo app = new PackageInfo();
        app.packageName = NOTES;
        app.versionCode = 12;
        app.applicationInfo = application();
        phone.installPackage(app);
    }

    private static ApplicationInfo application() {
        ApplicationInfo info = new ApplicationInfo();
        info.packageName = NOTES;
        info.nonLocalizedLabel = "Notes";
        info.enabled = true;
        return info;
    }

    private void service(String name, Bundle said) throws Exception {
        ServiceInfo info = new ServiceInfo();
        info.packageName = NOTES;
        info.name = name;
        info.exported = true;
        info.permission = "org.notes.CALL";
        info.metaData = said;
        info.applicationInfo = application();
        phone.addOrUpdateService(info);
        IntentFilter filter = new IntentFilter("mobile.mcp.SERVICE");
        phone.addIntentFilterForService(new ComponentName(NOTES, name), filter);
    }

    private static ResolveInfo provider(String name, String authority) {
        ResolveInfo found = new ResolveInfo();
        found.providerInfo = new ProviderInfo();
        found.providerInfo.packageName = NOTES;
        found.providerInfo.name = name;
        found.providerInfo.authority = authority;
        found.providerInfo.writePermission = "org.notes.WRITE";
        found.providerInfo.applicationInfo = application();
        return found;
    }

    /** A file of Android's own stands for an app's: its id, and what is in it. */
    private static int file() {
        int id = Resources.getSystem().getIdentifier("power_profile", "xml", "android");
        assertTrue(id != 0);
        return id;
    }

    @Test
    public void aServiceIsToldWithItsMetaData() throws Exception {
        Bundle said = new Bundle();
        said.putString("mobile.mcp.tool.name", "notes");
        said.putInt("mobile.mcp.tool.description", 5);
        service("org.notes.Tools", said);

        List<Component> found = declarations.services();

        assertEquals(1, found.size());
        Component one = found.get(0);
        assertEquals(NOTES, one.packageName);
        assertEquals("Notes", one.label);
        assertEquals(12, one.versionCode);
        assertEquals("org.notes.Tools", one.className);
        assertTrue(one.exported);
        assertEquals("org.notes.CALL", one.permission);
        assertEquals("notes", one.name);
        assertEquals("5", one.description);
    }

    @Test
    public void aProviderIsToldOnceByItsFirstAuthority() {
        List<ResolveInfo> found =
                Arrays.asList(
                        provider("org.notes.Data", "org.notes.first;org.notes.second"),
                        provider("org.notes.Odd", ";"),
                        provider("org.notes.Data", "org.notes.first;org.notes.second"),
                        provider("org.notes.None", null));

        List<String> told = new ArrayList<String>();
        for (Component one : declarations.describe(found)) {
            told.add(one.className + " " + one.authority + " " + one.permission);
        }

        assertEquals(
                Arrays.asList(
                        "org.notes.Data org.notes.first org.notes.WRITE",
                        "org.notes.Odd  org.notes.WRITE"),
                told);
    }

    @Test
    public void aDescriptorIsReadFromTheResourceThatMetaDataNames() throws Exception {
        Bundle said = new Bundle();
        said.putInt("mobile.mcp.tool.capabilities", file());
        service("org.notes.Tools", said);

        Element root = declarations.descriptor(declarations.services().get(0), DEEP, LONG);

        assertEquals("device", root.tag);
        assertEquals("Android", root.attributes.get("name"));
        assertFalse(root.children.isEmpty());
    }

    @Test
    public void aServiceWithoutADescriptorSaysWhy() throws Exception {
        Bundle said = new Bundle();
        said.putString("mobile.mcp.tool.capabilities", "in words");
        service("org.notes.Words", said);
        service("org.notes.Nothing", null);
        List<String> problems = new ArrayList<String>();
        for (Component one : declarations.services()) {
            problems.add(problem(one));
        }
        String why =
                "It has no meta-data mobile.mcp.tool.capabilities that names an XML resource.";

        assertEquals(Arrays.asList(why, why), problems);
    }

    private String problem(Component one) {
        try {
            declarations.descriptor(one, DEEP, LONG);
            return "none";
        } catch (Offers.NoDescriptor none) {
            return none.getMessage();
        }
    }

    @Test
    public void aDescriptorHasItsBounds() throws Exception {
        assertEquals("device", read(DEEP, LONG).tag);
        assertEquals("Its descriptor is too large.", refused(1, LONG));
        assertEquals("Its descriptor is too large.", refused(DEEP, 100));
    }

    private static String refused(int deepest, int longest) throws Exception {
        try {
            read(deepest, longest);
            fail();
            return null;
        } catch (Offers.NoDescriptor large) {
            return large.getMessage();
        }
    }

    private static Element read(int deepest, int longest) throws Exception {
        Resources words = Resources.getSystem();
        try (XmlResourceParser parser = words.getXml(file())) {
            return Declarations.read(parser, words, deepest, longest);
        }
    }

    @Test
    public void whatIsInstalledIsKnown() {
        assertTrue(declarations.isInstalled(NOTES));
        assertFalse(declarations.isInstalled("org.nobody"));
    }
}
