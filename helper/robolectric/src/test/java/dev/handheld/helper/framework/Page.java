package dev.handheld.helper.framework;

import android.app.Activity;
import android.content.Context;
import android.os.Build;
import android.os.Bundle;
import android.view.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The app: one activity that shows the page it was asked for. Views are found by their tag. */
public final class Page extends Activity {
    static final String PACKAGE = "org.robolectric.default";
    static String next;
    /** Of the page `trial`. */
    static Map<String, Object> widget;
    private static final List<Object> log = new ArrayList<Object>();

    static void log(String line) {
        synchronized (log) {
            log.add(line);
        }
    }

    static List<Object> takeLog() {
        synchronized (log) {
            List<Object> lines = new ArrayList<Object>(log);
            log.clear();
            return lines;
        }
    }

    @Override
    protected void attachBaseContext(Context base) {
        // An app of the release's own time: Android treats older ones otherwise.
        base.getApplicationInfo().targetSdkVersion = Build.VERSION.SDK_INT;
        super.attachBaseContext(base);
    }

    @Override
    protected void onCreate(Bundle saved) {
        setTheme(android.R.style.Theme_Material_Light_NoActionBar);
        super.onCreate(saved);
        setTitle(next);
        setContentView(Pages.make(this, next));
    }

    View view(String name) {
        View found = getWindow().getDecorView().findViewWithTag(name);
        if (found == null) {
            throw new IllegalArgumentException("No view " + name + " on this page.");
        }
        return found;
    }
}
