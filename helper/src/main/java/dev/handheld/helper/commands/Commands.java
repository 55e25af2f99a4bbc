package dev.handheld.helper.commands;

import dev.handheld.helper.protocol.Command;
import java.util.LinkedHashMap;
import java.util.Map;

/** The commands by name. */
public final class Commands {
    private Commands() {}

    public static Map<String, Command> all() {
        Scan scan = new Scan();
        Command[] all = {
            new Screen(),
            new Capture(),
            new Touch(),
            new Scroll(),
            new Pinch(),
            new Press(),
            new Act(),
            new Seek(),
            new Type(),
            new Key(),
            new Keycode(),
            new Launch(),
            new Changed(),
            new Release(),
            new Clipboard(),
            new Locate(),
            new Commit(scan),
            new Remove(scan),
            new Packages(),
            new Processes(),
            new AppInfo(),
            new Stop(),
            new Resolve(),
            new Intent(),
            new Offers(),
            new PackagesChanged(),
            new ProviderCall(),
            new ServiceCall(),
            new Sims(),
            new Sms(),
            new Language(),
            new Location(),
            new MockLocation(),
            new Notifications(),
            new Notification(),
            new Query(),
            new Cameras(),
            new Photo(),
            new Video(),
        };
        Map<String, Command> commands = new LinkedHashMap<String, Command>();
        for (Command command : all) {
            commands.put(command.name, command);
        }
        return commands;
    }
}
