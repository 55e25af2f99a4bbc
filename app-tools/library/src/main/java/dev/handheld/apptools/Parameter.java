package dev.handheld.apptools;

/** A value that a tool accepts or returns, as agents see it. */
public final class Parameter {
    static final int LONGEST_NAME = 64;
    static final int LONGEST_DESCRIPTION = 300;

    public final String name;
    public final Type type;
    /** Whether a call without it is refused; false for a value that a tool returns. */
    public final boolean required;
    public final String description;

    Parameter(String name, Type type, boolean required, String description) {
        this.name = Texts.name(name, LONGEST_NAME, "parameter");
        this.type = type;
        this.required = required;
        this.description = Texts.description(description, LONGEST_DESCRIPTION, name);
    }
}
