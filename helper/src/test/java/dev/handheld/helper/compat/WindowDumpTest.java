package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

public final class WindowDumpTest {
    /** Of 26: flags are a number, and nothing says outright what is on the screen. */
    private static final String OREO =
            "WINDOW MANAGER WINDOWS (dumpsys window windows)\n"
                    + "  Window #0 Window{a1 u0 com.bank/com.bank.Pin}:\n"
                    + "    mOwnerUid=10061 mShowToOwnerOnly=true package=com.bank appop=NONE\n"
                    + "    mAttrs=WM.LayoutParams{(0,0)(fillxfill) ty=1 fl=#81812100 pfl=0x20000}\n"
                    + "    mHasSurface=true isReadyForDisplay()=true hasSavedSurface()=false\n"
                    + "  Window #1 Window{a2 u0 com.bank/com.bank.Old}:\n"
                    + "    mOwnerUid=10061 mShowToOwnerOnly=true package=com.bank appop=NONE\n"
                    + "    mAttrs=WM.LayoutParams{(0,0)(fillxfill) ty=1 fl=#2000 pfl=0x0}\n"
                    + "    mHasSurface=false isReadyForDisplay()=false hasSavedSurface()=false\n"
                    + "  Window #2 Window{a3 u0 StatusBar}:\n"
                    + "    mOwnerUid=10015 mShowToOwnerOnly=false package=com.android.systemui\n"
                    + "    mAttrs=WM.LayoutParams{(0,0)(fillx63) ty=2000 fl=#81840048 fmt=-3}\n"
                    + "    mHasSurface=true isReadyForDisplay()=true hasSavedSurface()=false\n"
                    + "\n"
                    + "  mCurConfiguration={1.0 310mcc260mnc [en_US] fl=#2000}\n"
                    + "  mHasPermanentDpad=false isReadyForDisplay()=true\n";

    /** Of newer ones: flags by name, on a line of their own. */
    private static final String NEWER =
            "  Window #0 Window{b1 u10 com.bank/com.bank.Pin}:\n"
                    + "    mOwnerUid=1010061 showForAllUsers=false package=com.bank appop=NONE\n"
                    + "    mAttrs={(0,0)(fillxfill) sim={adjust=pan} ty=BASE_APPLICATION\n"
                    + "      fl=LAYOUT_IN_SCREEN SECURE HARDWARE_ACCELERATED\n"
                    + "      pfl=FIT_INSETS_CONTROLLED}\n"
                    + "   fl=NOT_FOCUSABLE\n"
                    + "  paramsForRotation={(0,0)(fillxfill)\n"
                    + "    mHasSurface=true isReadyForDisplay()=true\n"
                    + "    mForceSeamlesslyRotate=true pending=null    isOnScreen=true\n"
                    + "    isVisible=true\n"
                    + "  Window #1 Window{b2 u10 com.bank/com.bank.Behind EXITING}:\n"
                    + "    mOwnerUid=1010061 showForAllUsers=false package=com.bank appop=NONE\n"
                    + "      fl=SECURE\n"
                    + "    mHasSurface=true isReadyForDisplay()=true\n"
                    + "    isOnScreen=false\n"
                    + "  Window #2 Window{b3 u0 Notes SECURE}:\n"
                    + "    mOwnerUid=1010070 showForAllUsers=false package=org.notes appop=NONE\n"
                    + "      fl=LAYOUT_IN_SCREEN\n"
                    + "      pfl=SECURE\n"
                    + "    isOnScreen=true\n";

    /** Of a vendor's phone: the package before the number, the type behind the title. */
    private static final String VENDOR =
            "  Window #0 Window{org.example.bank:c1 u0 org.example.bank/.Pin type=1 }:\n"
                    + "    mOwnerUid=10061 showForAllUsers=false package=org.example.bank\n"
                    + "      fl=LAYOUT_IN_SCREEN SECURE\n"
                    + "    isOnScreen=true\n"
                    + "  Window #1 Window{com.android.systemui:c2 u0 Shade type=2040 EXITING}:\n"
                    + "    mOwnerUid=10015 showForAllUsers=true package=com.android.systemui\n"
                    + "      fl=NOT_FOCUSABLE\n"
                    + "    isOnScreen=true\n"
                    + "  Window #2 Written otherwise:\n"
                    + "    mOwnerUid=10070 showForAllUsers=false package=org.notes\n"
                    + "      fl=SECURE\n"
                    + "    isOnScreen=true\n"
                    + "  Window #3 Window{c4 u0 Notes type=1}:\n"
                    + "    mOwnerUid=10070 showForAllUsers=false package=org.notes\n"
                    + "      fl=LAYOUT_IN_SCREEN\n"
                    + "    isOnScreen=true\n";

    private static List<String> told(String report) throws IOException {
        List<String> told = new ArrayList<String>();
        for (WindowDump.Shown one : WindowDump.parse(lines(report))) {
            told.add(one.title + " | " + one.owner + (one.secure ? " | secure" : ""));
        }
        return told;
    }

    private static BufferedReader lines(String report) {
        return new BufferedReader(new StringReader(report));
    }

    @Test
    public void windowsOfEightAreTold() throws IOException {
        assertEquals(
                Arrays.asList(
                        "com.bank/com.bank.Pin | com.bank | secure",
                        "StatusBar | com.android.systemui"),
                told(OREO));
    }

    @Test
    public void windowsOfNewerOnesAreTold() throws IOException {
        assertEquals(
                Arrays.asList(
                        "com.bank/com.bank.Pin | com.bank | secure", "Notes SECURE | org.notes"),
                told(NEWER));
    }

    @Test
    public void everyLineOfAWindowEndsTheOneBeforeHoweverItIsWritten() throws IOException {
        assertEquals(
                Arrays.asList(
                        "org.example.bank/.Pin | org.example.bank | secure",
                        "Shade | com.android.systemui",
                        "Written otherwise | org.notes | secure",
                        "Notes type=1 | org.notes"),
                told(VENDOR));
    }

    @Test
    public void nothingIsNoWindow() throws IOException {
        assertEquals(new ArrayList<String>(), told("Can't find service: window\n"));
    }

    /** How many windows say so of themselves. */
    private static int shown(String report, String word) {
        int count = 0;
        for (String window : report.split("(?m)^  Window #")) {
            int said = window.indexOf(word);
            count += said >= 0 && window.startsWith("true", said + word.length()) ? 1 : 0;
        }
        return count;
    }

    /** Reports of real phones, where they are at hand: made secure, they are all found so. */
    @Test
    public void windowsOfEveryVersionAreFound() throws IOException {
        File folder = new File("../../shared/corpus/dumpsys");
        assumeTrue(folder.isDirectory());
        for (int level = 26; level <= 36; level++) {
            String name = "zillow_auto-mobile__api" + level + "-settings-window-dump.txt";
            byte[] bytes = Files.readAllBytes(new File(folder, name).toPath());
            String report = new String(bytes, StandardCharsets.UTF_8);
            List<WindowDump.Shown> plain = WindowDump.parse(lines(report));
            int count = shown(report, level == 26 ? "isReadyForDisplay()=" : "isOnScreen=");
            String made = report.replaceAll("\\bfl=#[0-9a-f]+", "fl=#2000");
            made = made.replaceAll("(?m)^( +)fl=(\\w)", "$1fl=SECURE $2");
            List<WindowDump.Shown> secure = WindowDump.parse(lines(made));

            assertTrue(name, count > 0);
            assertEquals(name, count, plain.size());
            assertEquals(name, count, secure.size());
            for (int one = 0; one < plain.size(); one++) {
                assertFalse(name, plain.get(one).secure);
                assertTrue(name, secure.get(one).secure);
                assertTrue(name, plain.get(one).owner.indexOf('.') > 0);
            }
        }
    }
}
