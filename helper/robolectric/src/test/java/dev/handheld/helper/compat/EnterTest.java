package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import android.app.Activity;
import android.os.Build;
import android.text.InputFilter;
import android.text.InputType;
import android.text.Spanned;
import android.view.KeyEvent;
import android.view.View;
import android.view.inputmethod.EditorInfo;
import android.widget.EditText;
import android.widget.LinearLayout;
import android.widget.SearchView;
import android.widget.TextView;
import dev.handheld.helper.device.Nodes;
import dev.handheld.helper.protocol.CommandRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.Robolectric;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.Config;
import org.robolectric.shadows.ShadowLooper;

/** What Enter does in Android's own fields, as a key and as an accessibility action. */
@RunWith(RobolectricTestRunner.class)
@Config(sdk = {28, 30, 33, 34})
public final class EnterTest {
    private static final int TEXT = InputType.TYPE_CLASS_TEXT;

    private final List<String> heard = new ArrayList<String>();
    private LinearLayout page;
    private Activity activity;
    private EditText field;
    private EditText next;
    private ViewDevice phone;

    @Before
    public void show() {
        activity = Robolectric.buildActivity(Activity.class).setup().visible().get();
        page = new LinearLayout(activity);
        page.setOrientation(LinearLayout.VERTICAL);
        field = new EditText(activity);
        next = new EditText(activity);
        page.addView(field);
        page.addView(next);
        activity.setContentView(page);
        field.setInputType(TEXT);
        field.requestFocus();
        ShadowLooper.idleMainLooper();
        phone = new ViewDevice(activity, field, next);
    }

    private CommandRun enter() {
        return CommandRun.of(
                phone.device, "key", Collections.<String, Object>singletonMap("key", "enter"));
    }

    private void hold(int type, String text, int cursor) {
        field.setInputType(type);
        field.setText(text);
        field.setSelection(cursor);
        field.requestFocus();
        ShadowLooper.idleMainLooper();
    }

    /** An app's listener that says whether it took it by what it looks at. */
    private void listen(final boolean takes) {
        field.setOnEditorActionListener(
                new TextView.OnEditorActionListener() {
                    @Override
                    public boolean onEditorAction(TextView view, int action, KeyEvent event) {
                        String key =
                                event == null
                                        ? "no event"
                                        : "key " + event.getKeyCode() + " " + event.getAction();
                        heard.add(action + ", " + key);
                        return takes;
                    }
                });
    }

    @Test
    public void enterAddsALineWhereThereAreLines() {
        hold(TEXT | InputType.TYPE_TEXT_FLAG_MULTI_LINE, "ab", 1);
        assertNull(enter().failure);
        assertEquals("a\nb", field.getText().toString());
        assertEquals(2, field.getSelectionStart());
        assertTrue(field.isFocused());
    }

    @Test
    public void enterAddsALineAlsoWhereKeysAreRefused() {
        phone.refusesKeys = true;
        hold(TEXT | InputType.TYPE_TEXT_FLAG_MULTI_LINE, "ab", 1);
        assertNull(enter().failure);
        assertEquals("a\nb", field.getText().toString());
        assertEquals(2, field.getSelectionStart());
        assertTrue(field.isFocused());
    }

    @Test
    public void enterThatAddsNoLineFailed() {
        hold(TEXT | InputType.TYPE_TEXT_FLAG_MULTI_LINE, "ab", 1);
        field.setFilters(
                new InputFilter[] {
                    new InputFilter() {
                        @Override
                        public CharSequence filter(
                                CharSequence source,
                                int start,
                                int end,
                                Spanned into,
                                int intoStart,
                                int intoEnd) {
                            String taken = source.subSequence(start, end).toString();
                            return taken.replace("\n", "");
                        }
                    }
                });
        assertEquals("failed/maybe", enter().failure);
        phone.refusesKeys = true;
        assertEquals("failed/no", enter().failure);
        assertEquals("ab", field.getText().toString());
    }

    @Test
    public void enterLeavesASingleLineForTheNextField() {
        hold(TEXT, "ab", 2);
        assertNull(enter().failure);
        assertEquals("ab", field.getText().toString());
        assertTrue(next.isFocused());
    }

    @Test
    public void enterWhereKeysAreRefusedIsAnActionSinceAndroid11() {
        phone.refusesKeys = true;
        hold(TEXT, "ab", 2);
        listen(true);
        if (Build.VERSION.SDK_INT < 30) {
            assertEquals("input_refused/no", enter().failure);
            assertEquals(new ArrayList<String>(), heard);
        } else {
            assertNull(enter().failure);
            assertEquals(Arrays.asList("0, no event"), heard);
        }
    }

    @Test
    @Config(sdk = {30, 33, 34})
    public void theActionForEnterAddsNoLineAndMovesTheFocus() {
        hold(TEXT | InputType.TYPE_TEXT_FLAG_MULTI_LINE, "ab", 1);
        assertTrue(phone.isMultiLine(ViewDevice.key(field)));
        assertTrue(phone.perform(ViewDevice.key(field), Nodes.Action.IME_ENTER));
        assertEquals("ab", field.getText().toString());
        assertFalse(field.isFocused());
        // True as well where there is nothing to do.
        assertTrue(phone.perform(ViewDevice.key(field), Nodes.Action.IME_ENTER));
    }

    @Test
    public void aSearchHearsTheKeyWithItsEvent() {
        field.setImeOptions(EditorInfo.IME_ACTION_SEARCH);
        hold(TEXT, "ab", 2);
        listen(true);
        assertNull(enter().failure);
        // As with a keyboard that is plugged in: a listener that takes the key hears both halves.
        // Android 14 names the field's action with it.
        int action = Build.VERSION.SDK_INT < 34 ? 0 : EditorInfo.IME_ACTION_SEARCH;
        assertEquals(Arrays.asList(action + ", key 66 0", action + ", key 66 1"), heard);
    }

    @Test
    @Config(sdk = {30, 33, 34})
    public void aSearchHearsTheActionForEnterWithoutEventAndWithoutItsOwnAction() {
        field.setImeOptions(EditorInfo.IME_ACTION_SEARCH);
        hold(TEXT, "ab", 2);
        listen(true);
        assertTrue(phone.perform(ViewDevice.key(field), Nodes.Action.IME_ENTER));
        assertEquals(Arrays.asList("0, no event"), heard);
    }

    @Test
    public void enterStartsTheSearchOfASearchView() {
        SearchView search = new SearchView(activity);
        search.setIconifiedByDefault(false);
        search.setOnQueryTextListener(
                new SearchView.OnQueryTextListener() {
                    @Override
                    public boolean onQueryTextSubmit(String query) {
                        heard.add(query);
                        return true;
                    }

                    @Override
                    public boolean onQueryTextChange(String text) {
                        return false;
                    }
                });
        page.addView(search, 0);
        search.setQuery("cats", false);
        int id = activity.getResources().getIdentifier("search_src_text", "id", "android");
        View text = search.findViewById(id);
        text.requestFocus();
        ShadowLooper.idleMainLooper();
        phone = new ViewDevice(activity, text);
        assertNull(enter().failure);
        // Its listener takes both halves of the key.
        assertEquals(Arrays.asList("cats", "cats"), heard);
    }
}
