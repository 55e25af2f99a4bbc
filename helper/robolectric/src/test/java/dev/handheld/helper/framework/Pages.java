package dev.handheld.helper.framework;

import android.app.AlertDialog;
import android.content.DialogInterface;
import android.os.Build;
import android.os.Bundle;
import android.text.Editable;
import android.text.InputFilter;
import android.text.InputType;
import android.text.Spanned;
import android.text.TextWatcher;
import android.view.MenuItem;
import android.view.View;
import android.view.ViewGroup;
import android.view.accessibility.AccessibilityNodeInfo;
import android.widget.AbsListView;
import android.widget.ArrayAdapter;
import android.widget.AutoCompleteTextView;
import android.widget.BaseExpandableListAdapter;
import android.widget.Button;
import android.widget.CheckBox;
import android.widget.CompoundButton;
import android.widget.DatePicker;
import android.widget.EditText;
import android.widget.ExpandableListView;
import android.widget.FrameLayout;
import android.widget.GridView;
import android.widget.HorizontalScrollView;
import android.widget.LinearLayout;
import android.widget.ListView;
import android.widget.NumberPicker;
import android.widget.PopupMenu;
import android.widget.ProgressBar;
import android.widget.RadioButton;
import android.widget.RadioGroup;
import android.widget.ScrollView;
import android.widget.SeekBar;
import android.widget.Spinner;
import android.widget.Switch;
import android.widget.TabHost;
import android.widget.TabWidget;
import android.widget.TextView;
import android.widget.TimePicker;
import android.widget.Toast;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The pages, each by its name. */
final class Pages {
    private static final int WHOLE = ViewGroup.LayoutParams.MATCH_PARENT;
    private static final int ROWS = 1000;
    /** Heights in a trial, in pixels. */
    private static final int ROW = 150;

    private static final int VIEWPORT = 1200;

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
            case "pickers":
                return pages.pickers();
            case "number":
                return pages.number();
            case "scrolling":
                return pages.scrolling();
            case "groups":
                return pages.groups();
            case "windows":
                return pages.windows();
            case "tabs":
                return pages.tabs();
            case "gestures":
                return pages.gestures();
            case "custom":
                return pages.custom();
            case "described":
                return pages.described();
            case "trial":
                return pages.trial(Page.widget);
            default:
                throw new IllegalArgumentException("No page " + name + ".");
        }
    }

    private <V extends View> V add(V view, String name) {
        view.setTag(name);
        layout.addView(view);
        return view;
    }

    /** The widget that is described, a field below it, where the focus may go, and a text. */
    private View trial(Map<String, Object> words) {
        View widget = widget(words);
        widget.setEnabled(words.get("enabled") != Boolean.FALSE);
        add(widget, "widget");
        field("other", InputType.TYPE_CLASS_TEXT);
        add(text("note"), "note");
        return layout;
    }

    private View widget(Map<String, Object> words) {
        String text = (String) words.get("text");
        String kind = (String) words.get("kind");
        switch (kind) {
            case "field":
                return trialField(words);
            case "text":
                return text(text);
            case "button":
                Button button = new Button(page);
                button.setText(text);
                button.setAllCaps(false);
                button.setOnClickListener(logging("click"));
                return button;
            case "check":
            case "switch":
            case "radio":
                CompoundButton box =
                        kind.equals("check")
                                ? new CheckBox(page)
                                : kind.equals("switch") ? new Switch(page) : new RadioButton(page);
                box.setText(text);
                box.setChecked(words.get("checked") == Boolean.TRUE);
                box.setOnCheckedChangeListener(
                        new CompoundButton.OnCheckedChangeListener() {
                            @Override
                            public void onCheckedChanged(CompoundButton view, boolean checked) {
                                Page.log("checked " + checked);
                            }
                        });
                return box;
            case "seek":
                SeekBar bar = new SeekBar(page);
                bar.setMax(number(words, "most"));
                bar.setProgress(number(words, "value"));
                bar.setLayoutParams(new LinearLayout.LayoutParams(WHOLE, 144));
                return bar;
            case "list":
                ListView list = new ListView(page);
                list.setDividerHeight(0);
                list.setAdapter(
                        new ArrayAdapter<String>(page, 0, names(number(words, "count"))) {
                            @Override
                            public View getView(int position, View again, ViewGroup parent) {
                                TextView row = again == null ? text("") : (TextView) again;
                                row.setText(getItem(position));
                                row.setLayoutParams(new AbsListView.LayoutParams(WHOLE, ROW));
                                return row;
                            }
                        });
                list.setLayoutParams(new LinearLayout.LayoutParams(WHOLE, VIEWPORT));
                return list;
            case "scroll":
                ScrollView down = new ScrollView(page);
                LinearLayout column = new LinearLayout(page);
                column.setOrientation(LinearLayout.VERTICAL);
                for (String name : names(number(words, "count"))) {
                    column.addView(text(name), new LinearLayout.LayoutParams(WHOLE, ROW));
                }
                down.addView(column);
                down.setLayoutParams(new LinearLayout.LayoutParams(WHOLE, VIEWPORT));
                return down;
            case "grid":
                return buttons(words);
            default:
                throw new IllegalArgumentException(kind);
        }
    }

    /** Rows of buttons, each with its number as its name; one may be disabled. */
    private View buttons(Map<String, Object> words) {
        LinearLayout rows = new LinearLayout(page);
        rows.setOrientation(LinearLayout.VERTICAL);
        int columns = number(words, "columns");
        for (int row = 0; row < number(words, "rows"); row++) {
            LinearLayout across = new LinearLayout(page);
            for (int column = 0; column < columns; column++) {
                int place = row * columns + column;
                Button button = new Button(page);
                button.setTag("button " + place);
                button.setEnabled(place != number(words, "disabled"));
                across.addView(button, new LinearLayout.LayoutParams(300, ROW));
            }
            rows.addView(across);
        }
        return rows;
    }

    private EditText trialField(Map<String, Object> words) {
        EditText field = new EditText(page);
        int type = InputType.TYPE_CLASS_TEXT;
        if (words.get("lines") == Boolean.TRUE) {
            type |= InputType.TYPE_TEXT_FLAG_MULTI_LINE;
        }
        if (words.get("password") == Boolean.TRUE) {
            type |= InputType.TYPE_TEXT_VARIATION_PASSWORD;
        }
        field.setInputType(type);
        List<InputFilter> filters = new ArrayList<InputFilter>();
        if (words.get("most") != null) {
            filters.add(new InputFilter.LengthFilter(number(words, "most")));
        }
        if (words.get("digits") == Boolean.FALSE) {
            filters.add(new NoDigits());
        }
        field.setFilters(filters.toArray(new InputFilter[0]));
        field.setHint((String) words.get("hint"));
        field.setText((String) words.get("text"));
        field.setLayoutParams(new LinearLayout.LayoutParams(WHOLE, 300));
        return field;
    }

    private static int number(Map<String, Object> words, String name) {
        return ((Number) words.get(name)).intValue();
    }

    private static List<String> names(int count) {
        List<String> names = new ArrayList<String>();
        for (int row = 0; row < count; row++) {
            names.add("Row " + row);
        }
        return names;
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
            StringBuilder kept = new StringBuilder();
            for (int at = start; at < end; at++) {
                if (!Character.isDigit(source.charAt(at))) {
                    kept.append(source.charAt(at));
                }
            }
            return kept.length() == end - start ? null : kept;
        }
    }

    private View toggles() {
        Button button = new Button(page);
        button.setText("Press");
        add(button, "button").setOnClickListener(logging("button clicked"));
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
        bar.setContentDescription("Volume");
        add(bar, "bar").setLayoutParams(new LinearLayout.LayoutParams(WHOLE, 144));
        Spinner spinner = new Spinner(page);
        spinner.setAdapter(rows(5));
        add(spinner, "spinner");
        return layout;
    }

    private View.OnClickListener logging(final String line) {
        return new View.OnClickListener() {
            @Override
            public void onClick(View view) {
                Page.log(line);
            }
        };
    }

    private ArrayAdapter<String> rows(int count) {
        return new ArrayAdapter<String>(page, android.R.layout.simple_list_item_1, names(count));
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

    private View pickers() {
        DatePicker date = new DatePicker(page);
        date.init(2026, 1, 15, null);
        add(date, "date");
        TimePicker time = new TimePicker(page);
        add(time, "time");
        ScrollView around = new ScrollView(page);
        around.addView(layout);
        return around;
    }

    private View number() {
        NumberPicker number = new NumberPicker(page);
        number.setMinValue(1);
        number.setMaxValue(9);
        number.setValue(5);
        add(number, "number");
        return layout;
    }

    private View scrolling() {
        HorizontalScrollView across = new HorizontalScrollView(page);
        LinearLayout row = new LinearLayout(page);
        for (int at = 0; at < 40; at++) {
            row.addView(text("Column " + at), new LinearLayout.LayoutParams(300, 200));
        }
        across.addView(row);
        add(across, "across");
        ScrollView down = new ScrollView(page);
        LinearLayout column = new LinearLayout(page);
        column.setOrientation(LinearLayout.VERTICAL);
        for (int at = 0; at < 60; at++) {
            column.addView(text("Line " + at), new LinearLayout.LayoutParams(WHOLE, 150));
        }
        down.addView(column);
        add(down, "down").setLayoutParams(new LinearLayout.LayoutParams(WHOLE, WHOLE));
        return layout;
    }

    private TextView text(String words) {
        TextView view = new TextView(page);
        view.setText(words);
        view.setTag(words);
        return view;
    }

    private View groups() {
        final String[] names = {"Fruit", "Nuts"};
        ExpandableListView list = new ExpandableListView(page);
        list.setAdapter(
                new BaseExpandableListAdapter() {
                    @Override
                    public int getGroupCount() {
                        return names.length;
                    }

                    @Override
                    public int getChildrenCount(int group) {
                        return 3;
                    }

                    @Override
                    public Object getGroup(int group) {
                        return names[group];
                    }

                    @Override
                    public Object getChild(int group, int child) {
                        return names[group] + " " + child;
                    }

                    @Override
                    public long getGroupId(int group) {
                        return group;
                    }

                    @Override
                    public long getChildId(int group, int child) {
                        return child;
                    }

                    @Override
                    public boolean hasStableIds() {
                        return true;
                    }

                    @Override
                    public boolean isChildSelectable(int group, int child) {
                        return true;
                    }

                    @Override
                    public View getGroupView(
                            int group, boolean open, View again, ViewGroup parent) {
                        return row(again, names[group]);
                    }

                    @Override
                    public View getChildView(
                            int group, int child, boolean last, View again, ViewGroup parent) {
                        return row(again, names[group] + " " + child);
                    }
                });
        add(list, "groups").setLayoutParams(new LinearLayout.LayoutParams(WHOLE, WHOLE));
        return layout;
    }

    private View row(View again, String words) {
        TextView row =
                again == null
                        ? (TextView)
                                page.getLayoutInflater()
                                        .inflate(android.R.layout.simple_list_item_1, null)
                        : (TextView) again;
        row.setText(words);
        return row;
    }

    private Button button(String words, View.OnClickListener clicked) {
        Button button = new Button(page);
        button.setText(words);
        button.setOnClickListener(clicked);
        return add(button, words);
    }

    private View windows() {
        button(
                "Dialog",
                new View.OnClickListener() {
                    @Override
                    public void onClick(View view) {
                        new AlertDialog.Builder(page)
                                .setTitle("Question")
                                .setMessage("Really?")
                                .setPositiveButton("Yes", logged("yes"))
                                .setNegativeButton("No", logged("no"))
                                .show();
                    }
                });
        button(
                "Menu",
                new View.OnClickListener() {
                    @Override
                    public void onClick(View view) {
                        PopupMenu menu = new PopupMenu(page, view);
                        menu.getMenu().add("Copy");
                        menu.getMenu().add("Move");
                        menu.setOnMenuItemClickListener(
                                new PopupMenu.OnMenuItemClickListener() {
                                    @Override
                                    public boolean onMenuItemClick(MenuItem item) {
                                        Page.log("menu " + item.getTitle());
                                        return true;
                                    }
                                });
                        menu.show();
                    }
                });
        button(
                "Toast",
                new View.OnClickListener() {
                    @Override
                    public void onClick(View view) {
                        Toast.makeText(page, "Short words", Toast.LENGTH_LONG).show();
                    }
                });
        return layout;
    }

    private static DialogInterface.OnClickListener logged(final String line) {
        return new DialogInterface.OnClickListener() {
            @Override
            public void onClick(DialogInterface dialog, int which) {
                Page.log(line);
            }
        };
    }

    @SuppressWarnings("deprecation") // Old, and still in many apps.
    private View tabs() {
        TabHost host = new TabHost(page, null);
        LinearLayout inside = new LinearLayout(page);
        inside.setOrientation(LinearLayout.VERTICAL);
        TabWidget bar = new TabWidget(page);
        bar.setId(android.R.id.tabs);
        FrameLayout content = new FrameLayout(page);
        content.setId(android.R.id.tabcontent);
        inside.addView(bar);
        inside.addView(content, new LinearLayout.LayoutParams(WHOLE, WHOLE));
        host.addView(inside);
        host.setup();
        for (final String name : new String[] {"One", "Two"}) {
            host.addTab(
                    host.newTabSpec(name)
                            .setIndicator(name)
                            .setContent(
                                    new TabHost.TabContentFactory() {
                                        @Override
                                        public View createTabContent(String tag) {
                                            return text("Content of " + name);
                                        }
                                    }));
        }
        add(host, "tabs").setLayoutParams(new LinearLayout.LayoutParams(WHOLE, WHOLE));
        return layout;
    }

    /** Views that tell accessibility services more than their text. */
    private View described() {
        TextView heading = add(text("Account"), "heading");
        heading.setAccessibilityHeading(true);
        TextView label = add(text("Email"), "label");
        EditText email = field("email", InputType.TYPE_CLASS_TEXT);
        email.setHint("name@example.com");
        label.setLabelFor(email.getId());
        email.setError("Not an address");
        Button ringer = new Button(page);
        ringer.setText("Ringer");
        ringer.setAllCaps(false);
        if (Build.VERSION.SDK_INT >= 30) {
            ringer.setStateDescription("Vibrate");
        }
        add(ringer, "ringer");
        SeekBar bar = new SeekBar(page);
        bar.setMax(100);
        bar.setProgress(40);
        bar.setContentDescription("Level");
        add(bar, "level").setLayoutParams(new LinearLayout.LayoutParams(WHOLE, 144));
        ProgressBar done =
                new ProgressBar(page, null, android.R.attr.progressBarStyleHorizontal);
        done.setProgress(25);
        add(done, "done").setLayoutParams(new LinearLayout.LayoutParams(WHOLE, 48));
        CheckBox box = new CheckBox(page);
        box.setText("Box");
        add(box, "box");
        Switch toggle = new Switch(page);
        toggle.setText("Toggle");
        toggle.setChecked(true);
        add(toggle, "toggle");
        add(new ProgressBar(page), "waiting");
        layout.setAccessibilityPaneTitle("Profile");
        return layout;
    }

    private View gestures() {
        add(new GestureView(page), "gestures")
                .setLayoutParams(new LinearLayout.LayoutParams(WHOLE, 1200));
        add(new FlingView(page), "fling")
                .setLayoutParams(new LinearLayout.LayoutParams(WHOLE, 1000));
        return layout;
    }

    private View custom() {
        add(new VirtualChildren(page), "board")
                .setLayoutParams(new LinearLayout.LayoutParams(WHOLE, 600));
        TextView row = text("Message");
        row.setAccessibilityDelegate(
                new View.AccessibilityDelegate() {
                    @Override
                    public void onInitializeAccessibilityNodeInfo(
                            View host, AccessibilityNodeInfo info) {
                        super.onInitializeAccessibilityNodeInfo(host, info);
                        info.addAction(
                                new AccessibilityNodeInfo.AccessibilityAction(
                                        android.R.id.button1, "Archive"));
                    }

                    @Override
                    public boolean performAccessibilityAction(
                            View host, int action, Bundle arguments) {
                        if (action == android.R.id.button1) {
                            Page.log("archived");
                            return true;
                        }
                        return super.performAccessibilityAction(host, action, arguments);
                    }
                });
        row.setOnLongClickListener(
                new View.OnLongClickListener() {
                    @Override
                    public boolean onLongClick(View view) {
                        Page.log("message held");
                        return true;
                    }
                });
        add(row, "message");
        return layout;
    }
}
