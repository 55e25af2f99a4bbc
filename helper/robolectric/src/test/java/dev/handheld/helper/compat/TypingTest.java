package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import android.app.Activity;
import android.text.Editable;
import android.text.InputFilter;
import android.text.InputType;
import android.text.Spanned;
import android.text.TextWatcher;
import android.view.View;
import android.view.ViewGroup;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.inputmethod.EditorInfo;
import android.widget.EditText;
import android.widget.LinearLayout;
import dev.handheld.helper.protocol.CommandRun;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.Robolectric;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.Config;
import org.robolectric.shadows.ShadowLooper;

/** The helper's `type`, `key` and `act` on Android's own EditText. */
@RunWith(RobolectricTestRunner.class)
@Config(sdk = {28, 30, 33, 34})
public final class TypingTest {
    private static final int TEXT = InputType.TYPE_CLASS_TEXT;

    private static final InputFilter DIGITS =
            new InputFilter() {
                @Override
                public CharSequence filter(
                        CharSequence source,
                        int start,
                        int end,
                        Spanned into,
                        int intoStart,
                        int intoEnd) {
                    return source.subSequence(start, end).toString().replaceAll("[^0-9]", "");
                }
            };

    private Activity activity;
    private EditText first;
    private EditText field;
    private ViewDevice phone;

    @Before
    public void show() {
        activity = Robolectric.buildActivity(Activity.class).setup().visible().get();
        LinearLayout page = new LinearLayout(activity);
        page.setOrientation(LinearLayout.VERTICAL);
        first = new EditText(activity);
        field = new EditText(activity);
        page.addView(first);
        page.addView(field);
        activity.setContentView(page);
        first.requestFocus();
        ShadowLooper.idleMainLooper();
        phone = new ViewDevice(activity, first, field);
    }

    private CommandRun type(Object where, String text, long delay) {
        Map<String, Object> with = new LinkedHashMap<String, Object>();
        with.put("key", ViewDevice.key(field));
        with.put("expect", Collections.emptyMap());
        with.put("anchor", null);
        with.put("where", where);
        with.put("text", text);
        with.put("delay_ms", delay);
        with.put("variance_ms", 0L);
        return CommandRun.of(phone.device, "type", with);
    }

    private CommandRun key(String key) {
        Map<String, Object> with = Collections.<String, Object>singletonMap("key", key);
        return CommandRun.of(phone.device, "key", with);
    }

    private void hold(String text, boolean focused) {
        field.setText(text);
        if (focused) {
            field.requestFocus();
        } else {
            first.requestFocus();
        }
        ShadowLooper.idleMainLooper();
    }

    @Test
    public void androidAnswersFalseForWhatIsSoAlready() {
        hold("abc", true);
        field.setSelection(3);
        String key = ViewDevice.key(field);
        assertFalse(phone.setSelection(key, 3, 3));
        assertTrue(phone.setSelection(key, 1, 1));
        assertFalse(field.performAccessibilityAction(AccessibilityNodeInfo.ACTION_FOCUS, null));
        assertTrue(first.performAccessibilityAction(AccessibilityNodeInfo.ACTION_FOCUS, null));
    }

    private static Object at(long offset) {
        return Collections.singletonMap("offset", offset);
    }

    private void typeEverywhere(String kind, boolean password) {
        for (boolean focused : new boolean[] {false, true}) {
            for (long delay : new long[] {0, 5}) {
                for (String content : new String[] {"", "abc"}) {
                    typeAt(kind, password, "end", content, focused, delay, content + "hi");
                    typeAt(kind, password, "all", content, focused, delay, "hi");
                    typeAt(kind, password, at(0), content, focused, delay, "hi" + content);
                }
                typeAt(kind, password, at(1), "abc", focused, delay, "ahibc");
                if (!password) {
                    Object found = Collections.singletonMap("search", "b");
                    typeAt(kind, password, found, "abc", focused, delay, "ahic");
                }
            }
        }
    }

    private void typeAt(
            String kind,
            boolean password,
            Object where,
            String content,
            boolean focused,
            long delay,
            String wanted) {
        hold(content, focused);
        CommandRun run = type(where, "hi", delay);
        String what =
                kind + " [" + content + "] " + where + " focused " + focused + " delay " + delay;
        assertNull(what, run.failure);
        assertEquals(what, wanted, field.getText().toString());
        assertEquals(what, wanted.length(), ((String) run.reply.get("content")).length());
        assertEquals(what, true, run.reply.get("matches"));
        assertEquals(what, 2, run.reply.get("typed"));
        assertEquals(what, password, run.reply.get("password"));
        assertTrue(what, field.isFocused());
        // All of it goes again.
        CommandRun cleared = type("all", "", delay);
        assertNull(what, cleared.failure);
        assertEquals(what, "", field.getText().toString());
        assertEquals(what, wanted.length(), cleared.reply.get("removed"));
    }

    @Test
    public void aSingleLineIsTypedIntoEverywhere() {
        field.setInputType(TEXT);
        typeEverywhere("single line", false);
    }

    @Test
    public void severalLinesAreTypedIntoEverywhere() {
        field.setInputType(TEXT | InputType.TYPE_TEXT_FLAG_MULTI_LINE);
        typeEverywhere("lines", false);
    }

    @Test
    public void aPasswordIsTypedIntoEverywhere() {
        field.setInputType(TEXT | InputType.TYPE_TEXT_VARIATION_PASSWORD);
        typeEverywhere("password", true);
    }

    @Test
    public void aFieldWithAHintIsTypedIntoEverywhere() {
        field.setHint("Your name");
        typeEverywhere("hint", false);
    }

    @Test
    public void aSearchIsTypedIntoEverywhere() {
        field.setInputType(TEXT);
        field.setImeOptions(EditorInfo.IME_ACTION_SEARCH);
        typeEverywhere("search", false);
    }

    @Test
    public void aFieldThatSelectsAllAtTheFocusIsTypedIntoEverywhere() {
        field.setSelectAllOnFocus(true);
        typeEverywhere("select all", false);
    }

    @Test
    public void theCursorIsBehindWhatWasTyped() {
        hold("ad", false);
        assertNull(type(at(1), "bc", 5).failure);
        assertEquals("abcd", field.getText().toString());
        assertEquals(3, field.getSelectionStart());
        assertEquals(3, field.getSelectionEnd());
    }

    @Test
    public void whatAFilterDropsIsTold() {
        field.setFilters(new InputFilter[] {DIGITS});
        hold("", false);
        CommandRun run = type("end", "1a2", 5);
        assertNull(run.failure);
        assertEquals("12", run.reply.get("content"));
        assertEquals(false, run.reply.get("matches"));
    }

    @Test
    public void whatIsTooLongIsTold() {
        field.setFilters(new InputFilter[] {new InputFilter.LengthFilter(4)});
        hold("ab", true);
        CommandRun run = type("end", "cdef", 0);
        assertNull(run.failure);
        assertEquals("abcd", run.reply.get("content"));
        assertEquals(false, run.reply.get("matches"));
    }

    /** What happens to the text after each change. */
    private abstract static class AfterChange implements TextWatcher {
        @Override
        public void beforeTextChanged(CharSequence text, int start, int count, int after) {}

        @Override
        public void onTextChanged(CharSequence text, int start, int before, int count) {}
    }

    @Test
    public void whatAFieldMakesOfItIsTold() {
        field.addTextChangedListener(
                new AfterChange() {
                    @Override
                    public void afterTextChanged(Editable text) {
                        if (text.length() == 3) {
                            text.append("-");
                        }
                    }
                });
        hold("", false);
        CommandRun run = type("end", "1234", 5);
        assertNull(run.failure);
        assertEquals("123-4", run.reply.get("content"));
        assertEquals(false, run.reply.get("matches"));
    }

    @Test
    public void aFieldThatGoesTookWhatWasTyped() {
        field.addTextChangedListener(
                new AfterChange() {
                    @Override
                    public void afterTextChanged(Editable text) {
                        if (text.length() == 2) {
                            ((ViewGroup) field.getParent()).removeView(field);
                        }
                    }
                });
        hold("", true);
        CommandRun run = type("end", "ab", 5);
        assertNull(run.failure);
        assertNull(run.reply.get("content"));
        assertNull(run.reply.get("matches"));
        assertEquals(2, run.reply.get("typed"));
    }

    @Test
    public void aFieldThatGoesInTheMiddleIsLost() {
        field.addTextChangedListener(
                new AfterChange() {
                    @Override
                    public void afterTextChanged(Editable text) {
                        field.setVisibility(View.GONE);
                    }
                });
        assertEquals("field_lost/partly", type("end", "abc", 5).failure);
    }

    @Test
    public void aFieldThatIsOffIsNotTouched() {
        hold("abc", false);
        field.setEnabled(false);
        assertEquals("failed/no", type("all", "x", 0).failure);
        assertEquals("abc", field.getText().toString());
    }

    @Test
    public void keysActAtTheCursor() {
        hold("abc", true);
        field.setSelection(3);
        assertNull(key("space").failure);
        assertEquals("abc ", field.getText().toString());
        field.setSelection(1);
        assertNull(key("space").failure);
        assertEquals("a bc ", field.getText().toString());
        assertNull(key("del").failure);
        assertEquals("abc ", field.getText().toString());
        assertNull(key("tab").failure);
        assertEquals("a\tbc ", field.getText().toString());
        field.setSelection(0, 3);
        assertNull(key("del").failure);
        assertEquals("c ", field.getText().toString());
        assertNull(key("del").failure); // nothing before the cursor
        assertEquals("c ", field.getText().toString());
    }

    @Test
    public void keysActInAPassword() {
        field.setInputType(TEXT | InputType.TYPE_TEXT_VARIATION_PASSWORD);
        hold("abc", true);
        field.setSelection(3);
        assertNull(key("space").failure);
        assertEquals("abc ", field.getText().toString());
        assertNull(key("del").failure);
        assertNull(key("del").failure);
        assertEquals("ab", field.getText().toString());
    }

    @Test
    public void aKeyThatAFilterDropsLeavesTextAndCursor() {
        field.setFilters(new InputFilter[] {DIGITS});
        hold("12", true);
        field.setSelection(1);
        assertEquals("failed/no", key("space").failure);
        assertEquals("12", field.getText().toString());
        assertEquals(1, field.getSelectionStart());
    }

    @Test
    public void aViewThatHasTheFocusIsFocused() {
        Map<String, Object> with = new LinkedHashMap<String, Object>();
        with.put("key", ViewDevice.key(field));
        with.put("action", "focus");
        with.put("expect", Collections.emptyMap());
        with.put("anchor", null);
        for (int time = 0; time < 2; time++) {
            CommandRun run = CommandRun.of(phone.device, "act", with);
            assertNull(run.failure);
            assertNotNull(run.reply);
            assertTrue(field.isFocused());
        }
    }
}
