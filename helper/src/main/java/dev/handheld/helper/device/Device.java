package dev.handheld.helper.device;

/** Everything that the helper needs of a phone. */
public interface Device {
    Phone phone();

    Clock clock();

    Threads threads();

    Automation automation();

    Screen screen();

    Nodes nodes();

    Input input();

    Clipboard clipboard();

    Apps apps();

    Intents intents();

    Files files();

    Media media();

    Offers offers();

    Sms sms();

    Locales locales();

    Locations locations();

    Notifications notifications();

    Tables tables();

    Cameras cameras();
}
