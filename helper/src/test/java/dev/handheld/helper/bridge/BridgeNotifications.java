package dev.handheld.helper.bridge;

import dev.handheld.helper.device.Notifications;
import dev.handheld.helper.device.Posted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The notifications in the test's world. */
final class BridgeNotifications implements Notifications {
    private final Bridge bridge;

    BridgeNotifications(Bridge bridge) {
        this.bridge = bridge;
    }

    @Override
    public boolean listens() {
        return (Boolean) bridge.call("listens");
    }

    @Override
    public long count() {
        return (Long) bridge.call("notification_count");
    }

    @Override
    public List<Posted> active() {
        return posted("active_notifications");
    }

    @Override
    public boolean isThere(Posted posted) {
        return (Boolean) bridge.call("notification_is_there", posted.own);
    }

    @Override
    public List<Posted> heard() {
        return posted("heard_notifications");
    }

    @Override
    public long now() {
        return (Long) bridge.call("wall_time");
    }

    @Override
    public boolean starts() {
        return (Boolean) bridge.call("starts_activities");
    }

    private List<Posted> posted(String which) {
        List<Posted> found = new ArrayList<Posted>();
        for (Map<String, Object> said : Bridge.maps(bridge.call(which))) {
            List<Posted.Action> actions = new ArrayList<Posted.Action>();
            for (Object one : (List<?>) said.get("actions")) {
                List<?> action = (List<?>) one;
                actions.add(
                        new Posted.Action(
                                (String) action.get(0),
                                (Boolean) action.get(1),
                                (Boolean) action.get(2),
                                (Boolean) action.get(3),
                                (Boolean) action.get(4)));
            }
            Posted posted =
                    new Posted(
                            (String) said.get("key"),
                            (String) said.get("package"),
                            (String) said.get("label"),
                            (Long) said.get("posted"),
                            (Boolean) said.get("opens")
                                    ? Posted.Tap.ACTIVITY
                                    : Posted.Tap.NOTHING,
                            (Boolean) said.get("ongoing"),
                            (Boolean) said.get("clearable"),
                            (String) said.get("category"),
                            (String) said.get("group"),
                            actions,
                            said.get("number"));
            posted.title = (String) said.get("title");
            posted.text = (String) said.get("text");
            posted.bigText = (String) said.get("big_text");
            posted.subText = (String) said.get("sub_text");
            posted.problem = (String) said.get("problem");
            found.add(posted);
        }
        return found;
    }

    @Override
    public void open(Posted posted) {
        bridge.call("open_notification", posted.own);
    }

    @Override
    public void press(Posted posted, int action, String text) {
        bridge.call("press_notification", posted.own, action, text);
    }

    @Override
    public void clicked(Posted posted) {
        bridge.call("click_notification", posted.own);
    }

    @Override
    public void cancel(Posted posted) {
        bridge.call("cancel_notification", posted.own);
    }

    @Override
    public void snooze(Posted posted, long ms) {
        bridge.call("snooze_notification", posted.own, ms);
    }

    /** The world tells of it as of changes of the screen. */
    @Override
    public void listen(Runnable changed) {}
}
