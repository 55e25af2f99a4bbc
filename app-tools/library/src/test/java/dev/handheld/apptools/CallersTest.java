package dev.handheld.apptools;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.robolectric.Shadows.shadowOf;

import android.app.Application;
import android.app.PendingIntent;
import android.content.Intent;
import android.content.pm.PackageManager;
import android.os.Bundle;
import android.os.Process;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.json.JSONObject;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.Robolectric;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowApplicationPackageManager;
import org.robolectric.shadows.ShadowBinder;

@RunWith(RobolectricTestRunner.class)
@Config(shadows = CallersTest.Signatures.class)
public final class CallersTest {
    private static final int SHELL = 2000;
    private static final int SISTER = 10_070;
    private static final int STRANGER = 10_077;
    private static final int PID = 77;
    private static final String PERMISSION = "org.example.tea.DRINK";
    private static final String DENIED = "This app does not answer this caller.";
    private static final String DIGEST =
            "00:01:7F:80:FF:05:06:07:08:09:0A:0B:0C:0D:0E:0F:"
                    + "10:11:12:13:14:15:16:17:18:19:1A:1B:1C:1D:1E:1F";
    private static final byte[] CERTIFICATE = {
        0, 1, 127, -128, -1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
        24, 25, 26, 27, 28, 29, 30, 31
    };
    private static final long HANG_NANOS = TimeUnit.MINUTES.toNanos(5);

    private static final AtomicInteger ran = new AtomicInteger();
    private static Callers rule;
    private static String reply;

    /** Robolectric's own takes any two uids for one signer's. */
    @Implements(className = "android.app.ApplicationPackageManager", isInAndroidSdk = false)
    public static final class Signatures extends ShadowApplicationPackageManager {
        private static boolean isOurs(int uid) {
            return uid == SISTER || uid == Process.myUid();
        }

        @Implementation
        @Override
        protected int checkSignatures(int one, int other) {
            return isOurs(one) && isOurs(other)
                    ? PackageManager.SIGNATURE_MATCH
                    : PackageManager.SIGNATURE_NO_MATCH;
        }

        @Implementation
        protected boolean hasSigningCertificate(int uid, byte[] certificate, int type) {
            return uid == SISTER
                    && type == PackageManager.CERT_INPUT_SHA256
                    && Arrays.equals(certificate, CERTIFICATE);
        }
    }

    private static Tools drinking() {
        return Tools.of(
                Tool.named("drink_tea", "Drinks tea.")
                        .runs(
                                new Tool.Handler() {
                                    @Override
                                    public Reply run(Call call) {
                                        ran.incrementAndGet();
                                        return Reply.of(reply);
                                    }
                                }));
    }

    public static final class Provider extends ToolProvider {
        @Override
        protected Tools tools() {
            return drinking();
        }

        @Override
        protected Callers callers() {
            return rule;
        }
    }

    public static final class Service extends ToolService {
        @Override
        protected Tools tools() {
            return drinking();
        }

        @Override
        protected Callers callers() {
            return rule;
        }
    }

    private final Application app = RuntimeEnvironment.getApplication();

    @Before
    public void begin() {
        ran.set(0);
        reply = "Drunk.";
    }

    @After
    public void reset() {
        ShadowBinder.reset();
    }

    private Bundle callProvider(Callers allowed, int uid, String method) {
        rule = allowed;
        ShadowBinder.setCallingUid(uid);
        ShadowBinder.setCallingPid(PID);
        Bundle extras = new Bundle();
        extras.putString("tool_name", "drink_tea");
        extras.putSerializable("tool_arguments", new HashMap<String, String>());
        return Robolectric.buildContentProvider(Provider.class)
                .create()
                .get()
                .call(method, null, extras);
    }

    private void assertAnswered(Callers allowed, int uid) {
        int before = ran.get();
        Bundle answer = callProvider(allowed, uid, "execute_tool");
        assertEquals("Drunk.", answer.getString("tool_result"));
        assertTrue(answer.getBoolean("success"));
        assertEquals(before + 1, ran.get());
    }

    private void assertRefused(Callers allowed, int uid) {
        int before = ran.get();
        for (String method : Arrays.asList("execute_tool", "get_tool_info")) {
            Bundle answer = callProvider(allowed, uid, method);
            assertEquals(DENIED, answer.getString("error_message"));
            assertFalse(answer.getBoolean("success", true));
            assertEquals(2, answer.size());
        }
        assertEquals(before, ran.get());
    }

    @Test
    public void theShellIsTheShellOfAnyUserOrRoot() {
        for (int uid : new int[] {0, SHELL, 1_002_000}) {
            assertAnswered(Callers.shell(), uid);
        }
        for (int uid : new int[] {1000, 2001, STRANGER, 1_010_077}) {
            assertRefused(Callers.shell(), uid);
        }
    }

    @Test
    public void anyoneIsAnsweredWithoutARule() {
        assertAnswered(Callers.anybody(), STRANGER);
    }

    @Test
    public void aPermissionIsThatOfTheCallersProcess() {
        Callers allowed = Callers.with(PERMISSION);
        assertRefused(allowed, STRANGER);
        shadowOf(app).grantPermissions(PID, STRANGER, PERMISSION);
        assertAnswered(allowed, STRANGER);
        assertRefused(allowed, SISTER);
        assertRefused(Callers.with("org.example.tea.BREW"), STRANGER);
    }

    @Test
    public void theSameSignatureIsTheAppsOwn() {
        assertAnswered(Callers.sameSignature(), SISTER);
        assertAnswered(Callers.sameSignature(), Process.myUid());
        assertRefused(Callers.sameSignature(), STRANGER);
    }

    @Test
    public void aSignerIsKnownByItsCertificate() {
        String other = DIGEST.replace("1F", "2F");
        assertAnswered(Callers.signedBy(DIGEST), SISTER);
        assertAnswered(Callers.signedBy(other, DIGEST.replace(":", "").toLowerCase()), SISTER);
        assertRefused(Callers.signedBy(other), SISTER);
        assertRefused(Callers.signedBy(DIGEST), STRANGER);
        assertRefused(Callers.signedBy(), SISTER);
    }

    @Test
    public void eitherOfTwoRulesIsEnough() {
        Callers either = Callers.shell().or(Callers.sameSignature());
        assertAnswered(either, SHELL);
        assertAnswered(either, SISTER);
        assertRefused(either, STRANGER);
    }

    /** What the service says to somebody with a callback of this uid. */
    private String callService(Callers allowed, int uid) throws Exception {
        rule = allowed;
        PendingIntent callback =
                PendingIntent.getBroadcast(
                        app, uid, new Intent("answer"), PendingIntent.FLAG_MUTABLE);
        shadowOf(callback).setCreatorUid(uid);
        Map<String, Object> named = Collections.<String, Object>singletonMap("id", "drink_tea");
        JSONObject request =
                new JSONObject().put("id", "seven").put("capability", new JSONObject(named));
        Intent intent =
                new Intent()
                        .putExtra("request", request.toString())
                        .putExtra("mcp_callback", callback);
        List<Intent> sent = shadowOf(app).getBroadcastIntents();
        int before = sent.size();
        Robolectric.buildService(Service.class).create().get().onStartCommand(intent, 0, 1);
        long begun = System.nanoTime();
        while ((sent = shadowOf(app).getBroadcastIntents()).size() == before) {
            assertTrue("No answer", System.nanoTime() - begun < HANG_NANOS);
            Thread.sleep(1);
        }
        Intent answer = sent.get(before);
        JSONObject whole = new JSONObject(answer.getStringExtra("mobile-mcp-response"));
        JSONObject inner = whole.getJSONObject("mobile-mcp-response").getJSONObject("response");
        JSONObject flat = new JSONObject(answer.getStringExtra("response"));
        for (String key : Arrays.asList("id", "status", "message")) {
            assertEquals(inner.get(key), flat.get(key));
        }
        assertEquals("seven", flat.get("id"));
        return flat.get("status") + ": " + flat.get("message");
    }

    @Test
    public void aServiceRefusesInTheSameWords() throws Exception {
        assertEquals("failure: " + DENIED, callService(Callers.sameSignature(), STRANGER));
        assertEquals("failure: " + DENIED, callService(Callers.shell(), STRANGER));
        // Of adb's shell Android tells a service nothing.
        assertEquals("failure: " + DENIED, callService(Callers.shell(), -1));
        assertEquals(0, ran.get());
        assertEquals("success: Drunk.", callService(Callers.sameSignature(), SISTER));
        assertEquals("success: Drunk.", callService(Callers.anybody(), -1));
        assertEquals(2, ran.get());
    }

    @Test
    public void aServiceSendsNoReplyThatAndroidCouldNotCarry() throws Exception {
        // As JSON each of these is six characters, and the reply has two forms.
        char[] signs = new char[50_000];
        Arrays.fill(signs, '\u0001');
        reply = new String(signs);
        assertEquals(
                "failure: drink_tea was done, but its reply is too long for Android.",
                callService(Callers.anybody(), STRANGER));
    }
}
