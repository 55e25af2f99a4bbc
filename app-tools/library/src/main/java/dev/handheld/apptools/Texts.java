package dev.handheld.apptools;

/** The bounds of names and descriptions: agents leave out or cut what exceeds them. */
final class Texts {
    private Texts() {}

    static String name(String name, int longest, String what) {
        if (name == null || name.isEmpty() || name.length() > longest) {
            throw new IllegalArgumentException(
                    "The name of a " + what + " has 1 to " + longest + " characters: " + name);
        }
        for (int one = 0; one < name.length(); one++) {
            char now = name.charAt(one);
            boolean letter = now >= 'a' && now <= 'z' || now >= 'A' && now <= 'Z';
            if (!letter && !(now >= '0' && now <= '9') && "_-.".indexOf(now) < 0) {
                throw new IllegalArgumentException(
                        "The name of a "
                                + what
                                + " has letters, digits, dots, hyphens and underscores: "
                                + name);
            }
        }
        return name;
    }

    static String description(String text, int longest, String of) {
        if (text == null || text.trim().isEmpty()) {
            throw new IllegalArgumentException(of + " has no description.");
        }
        if (text.length() > longest) {
            throw new IllegalArgumentException(
                    "The description of " + of + " has more than " + longest + " characters.");
        }
        for (int one = 0; one < text.length(); one++) {
            if (text.charAt(one) < ' ' && text.charAt(one) != '\n') {
                throw new IllegalArgumentException(
                        "The description of " + of + " has a control character.");
            }
        }
        if (text.charAt(0) == '@' || text.charAt(0) == '?') {
            throw new IllegalArgumentException(
                    "The description of " + of + " begins like a resource's name: " + text);
        }
        return text;
    }
}
