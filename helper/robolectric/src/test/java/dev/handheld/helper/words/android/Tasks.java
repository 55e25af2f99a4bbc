package dev.handheld.helper.words.android;

import android.content.ComponentName;
import android.content.res.Configuration;
import android.graphics.Rect;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The only task, that of the launcher, and the configuration of its screen. */
final class Tasks {
    private static final int COLORS = Configuration.COLOR_MODE_WIDE_COLOR_GAMUT_NO | Configuration.COLOR_MODE_HDR_NO;
    private static final int LAYOUT = Configuration.SCREENLAYOUT_SIZE_NORMAL
            | Configuration.SCREENLAYOUT_LONG_YES
            | Configuration.SCREENLAYOUT_ROUND_NO
            | Configuration.SCREENLAYOUT_LAYOUTDIR_LTR;

    private String[] facts;

    /** @param fields the activity, the edges of the screen and of an app, and the sizes in dp */
    void add(String[] fields) {
        facts = fields;
    }

    /** Null if it does not know. */
    Object answer(String name) throws ReflectiveOperationException {
        boolean root = name.equals("getAllRootTaskInfos");
        if (!root && !name.equals("getAllStackInfos")) {
            return null;
        }
        Class<?> type = Class.forName(root
                ? "android.app.ActivityTaskManager$RootTaskInfo"
                : "android.app.ActivityManager$StackInfo");
        Object task = type.getConstructor().newInstance();
        ComponentName top = ComponentName.unflattenFromString(facts[1]);
        set(task, root ? "taskId" : "stackId", 1);
        set(task, "bounds", rect(facts[2]));
        set(task, root ? "childTaskIds" : "taskIds", new int[] {1});
        set(task, root ? "childTaskNames" : "taskNames", new String[] {top.flattenToShortString()});
        set(task, root ? "childTaskBounds" : "taskBounds", new Rect[] {rect(facts[2])});
        set(task, root ? "childTaskUserIds" : "taskUserIds", new int[] {0});
        set(task, "visible", true);
        set(task, "topActivity", top);
        for (Field field : type.getFields()) {
            if (field.getName().equals("configuration")) {
                ((Configuration) field.get(task)).setTo(configuration());
            }
        }
        List<Object> tasks = new ArrayList<>();
        tasks.add(task);
        return tasks;
    }

    Configuration configuration() throws ReflectiveOperationException {
        Configuration made = new Configuration();
        made.fontScale = 1;
        made.setLocale(Locale.US);
        made.screenLayout = LAYOUT;
        made.colorMode = COLORS;
        made.orientation = Configuration.ORIENTATION_PORTRAIT;
        made.uiMode = Configuration.UI_MODE_TYPE_NORMAL | Configuration.UI_MODE_NIGHT_NO;
        made.touchscreen = Configuration.TOUCHSCREEN_FINGER;
        made.keyboard = Configuration.KEYBOARD_NOKEYS;
        made.keyboardHidden = Configuration.KEYBOARDHIDDEN_NO;
        made.hardKeyboardHidden = Configuration.HARDKEYBOARDHIDDEN_YES;
        made.navigation = Configuration.NAVIGATION_NONAV;
        made.navigationHidden = Configuration.NAVIGATIONHIDDEN_YES;
        String[] sizes = facts[4].split(",");
        made.smallestScreenWidthDp = Integer.parseInt(sizes[0]);
        made.screenWidthDp = Integer.parseInt(sizes[1]);
        made.screenHeightDp = Integer.parseInt(sizes[2]);
        made.densityDpi = Integer.parseInt(sizes[3]);
        set(made, "seq", 1);
        set(made, "fontWeightAdjustment", 0);
        set(made, "appBounds", rect(facts[3]));
        for (Field field : Configuration.class.getFields()) {
            if (field.getName().equals("windowConfiguration")) {
                fill(field.get(made));
            }
        }
        return made;
    }

    private void fill(Object window) throws ReflectiveOperationException {
        call(window, "setBounds", rect(facts[2]));
        call(window, "setAppBounds", rect(facts[3]));
        call(window, "setMaxBounds", rect(facts[2]));
        call(window, "setWindowingMode", 1);
        call(window, "setDisplayWindowingMode", 1);
        call(window, "setRotation", 0);
        call(window, "setDisplayRotation", 0);
    }

    private static Rect rect(String edges) {
        String[] numbers = edges.split(",");
        return new Rect(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]),
                Integer.parseInt(numbers[2]), Integer.parseInt(numbers[3]));
    }

    /** Calls it with that value where the release has it. */
    private static void call(Object target, String name, Object value) throws ReflectiveOperationException {
        for (Method method : target.getClass().getMethods()) {
            Class<?>[] types = method.getParameterTypes();
            if (method.getName().equals(name) && types.length == 1
                    && (types[0] == int.class ? value instanceof Integer : types[0].isInstance(value))) {
                method.invoke(target, value);
            }
        }
    }

    private static void set(Object target, String name, Object value) throws IllegalAccessException {
        for (Field field : target.getClass().getFields()) {
            if (field.getName().equals(name)) {
                field.set(target, value);
            }
        }
    }
}
