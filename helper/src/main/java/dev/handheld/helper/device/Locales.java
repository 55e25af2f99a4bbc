package dev.handheld.helper.device;

import java.util.List;

/** The languages of the system. */
public interface Locales {
    /** Language tags, the preferred one first. */
    List<String> get();

    /** `failed` where Android refuses; nothing was changed then. */
    void set(List<String> tags);
}
