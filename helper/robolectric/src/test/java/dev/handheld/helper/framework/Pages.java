package dev.handheld.helper.framework;

import android.text.Editable;
import android.text.InputFilter;
import android.text.InputType;
import android.text.Spanned;
import android.text.TextWatcher;
import android.view.View;
import android.view.ViewGroup;
import android.widget.ArrayAdapter;
import android.widget.AutoCompleteTextView;
import android.widget.Button;
import android.widget.CheckBox;
import android.widget.EditText;
import android.widget.GridView;
import android.widget.LinearLayout;
import android.widget.ListView;
import android.widget.RadioButton;
import android.widget.RadioGroup;
import android.widget.SeekBar;
import android.widget.Spinner;
import android.widget.Switch;
import android.widget.TextView;
import java.util.ArrayList;
import java.util.List;

/** The pages, each by its name. */
final class Pages {
    private static final int WHOLE = ViewGroup.LayoutParams.MATCH_PARENT;
    private static final int ROWS = 1000;

    private final Page page;
    private final LinearLayout layout;

    private Pages(Page page) {
        this.page = page;
        layout = new LinearLayout(page);
        layout.setOrientation(LinearLayout.VERTICAL);
    }

    static View make(Page page, String name) {
        Pages pages = new Pages(page);
        switch (name) {
            case "fields":
                return pages.fields();
            case "toggles":
                return pages.toggles();
            case "list":
                return pages.list();
            case "grid":
                return pages.grid();
            default:
                throw new IllegalArgumentException("No page " + name + ".");
        }
    }

    private <V extends View> V add(V view, String name) {
        view.setTag(name);
        view.setContentDescription(view instanceof TextView ? null : name);
        layout.addView(view);
        return view;
    }

    private View fields() {
        field("single", InputType.TYPE_CLASS_TEXT).setHint("one line");
        field("lines", InputType.TYPE_CLASS_TEXT | InputType.TYPE_TEXT_FLAG_MULTI_LINE);
        field("number", InputType.TYPE_CLASS_NUMBER);
        field("password", InputType.TYPE_CLASS_TEXT | InputType.TYPE_TEXT_VARIATION_PASSWORD);
        field("short", InputType.TYPE_CLASS_TEXT)
                .setFilters(new InputFilter[] {new InputFilter.LengthFilter(5)});
        field("formatting", InputType.TYPE_CLASS_TEXT).addTextChangedListener(new Groups());
        field("refusing", InputType.TYPE_CLASS_TEXT)
                .setFilters(new InputFilter[] {new NoDigits()});
        AutoCompleteTextView completing = new AutoCompleteTextView(page);
        completing.setInputType(InputType.TYPE_CLASS_TEXT);
        completing.setAdapter(rows(20));
        add(completing, "completing").setThreshold(1);
        return layout;
    }

    private EditText field(String name, int type) {
        EditText field = new EditText(page);
        field.setInputType(type);
        field.setId(View.generateViewId());
        field.setText("");
        return add(field, name);
    }

    /** Groups of three characters, as a card number is shown. */
    private static final class Groups implements TextWatcher {
        private boolean own;

        @Override
        public void beforeTextChanged(CharSequence text, int start, int count, int after) {}

        @Override
        public void onTextChanged(CharSequence text, int start, int before, int count) {}

        @Override
        public void afterTextChanged(Editable text) {
            if (own) {
                return;
            }
            own = true;
            for (int at = text.length() - 1; at >= 0; at--) {
                if (text.charAt(at) == ' ') {
                    text.delete(at, at + 1);
                }
            }
            for (int at = 3; at < text.length(); at += 4) {
                text.insert(at, " ");
            }
            own = false;
        }
    }

    private static final class NoDigits implements InputFilter {
        @Override
        public CharSequence filter(
                CharSequence source, int start, int end, Spanned into, int from, int to) {
            for (int at = start; at < end; at++) {
                if (Character.isDigit(source.charAt(at))) {
                    return "";
                }
            }
            return null;
        }
    }

    private View toggles() {
        Button button = new Button(page);
        button.setText("Press");
        add(button, "button").setOnClickListener(said("button clicked"));
        CheckBox box = new CheckBox(page);
        box.setText("Box");
        add(box, "box");
        Switch toggle = new Switch(page);
        toggle.setText("Switch");
        add(toggle, "switch");
        RadioGroup group = new RadioGroup(page);
        for (String one : new String[] {"Red", "Green"}) {
            RadioButton radio = new RadioButton(page);
            radio.setText(one);
            radio.setTag(one);
            group.addView(radio);
        }
        add(group, "group");
        SeekBar bar = new SeekBar(page);
        bar.setMax(10);
        add(bar, "bar");
        Spinner spinner = new Spinner(page);
        spinner.setAdapter(rows(5));
        add(spinner, "spinner");
        return layout;
    }

    private View.OnClickListener said(final String line) {
        return new View.OnClickListener() {
            @Override
            public void onClick(View view) {
                Page.log(line);
            }
        };
    }

    private ArrayAdapter<String> rows(int count) {
        List<String> names = new ArrayList<String>();
        for (int row = 0; row < count; row++) {
            names.add("Row " + row);
        }
        return new ArrayAdapter<String>(page, android.R.layout.simple_list_item_1, names);
    }

    private View list() {
        ListView list = new ListView(page);
        list.setAdapter(rows(ROWS));
        add(list, "list").setLayoutParams(new LinearLayout.LayoutParams(WHOLE, WHOLE));
        return layout;
    }

    private View grid() {
        GridView grid = new GridView(page);
        grid.setNumColumns(3);
        grid.setAdapter(rows(ROWS));
        add(grid, "grid").setLayoutParams(new LinearLayout.LayoutParams(WHOLE, WHOLE));
        return layout;
    }
}
