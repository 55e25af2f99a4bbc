package dev.handheld.apptools;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One tool: everything that agents are told about it, and the code that runs it.
 *
 * <pre>{@code
 * static final Tool BREW =
 *         Tool.named("brew_tea", "Brews a cup of tea.")
 *                 .requires("minutes", Type.INTEGER, "How long, 1 to 10")
 *                 .returns("cups", Type.INTEGER, "How many cups there are now")
 *                 .runs(call -> Reply.of("The tea is ready.").with("cups", brew(call)));
 * }</pre>
 */
public final class Tool {
    static final int MOST_PARAMETERS = 100;
    static final int LONGEST_NAME = 200;
    static final int LONGEST_DESCRIPTION = 1000;
    static final long USUAL_SECONDS = 25;

    /** What a tool does. */
    public interface Handler {
        /**
         * Runs on a worker thread. The arguments fit the declaration.
         *
         * @throws ToolFailed with a sentence for the agent; any other exception is told as an
         *     execution error with its message
         */
        Reply run(Call call) throws Exception;
    }

    public final String name;
    public final String description;
    public final List<Parameter> parameters;
    /** The values that it returns with a message. */
    public final List<Parameter> results;
    /** Whether it only tells something, and changes nothing. */
    public final boolean readOnly;

    final long seconds;
    final Handler handler;

    private Tool(Builder built, Handler handler) {
        name = built.name;
        description = built.description;
        parameters = Collections.unmodifiableList(new ArrayList<Parameter>(built.parameters));
        results = Collections.unmodifiableList(new ArrayList<Parameter>(built.results));
        readOnly = built.readOnly;
        seconds = built.seconds;
        this.handler = handler;
    }

    /**
     * Begins a declaration.
     *
     * @param name letters, digits, dots, hyphens and underscores, such as {@code brew_tea}
     * @param description what it does, in a sentence or a few: agents choose tools by it
     */
    public static Builder named(String name, String description) {
        return new Builder(name, description);
    }

    Parameter parameter(String name) {
        return find(parameters, name);
    }

    Parameter result(String name) {
        return find(results, name);
    }

    private static Parameter find(List<Parameter> all, String name) {
        for (Parameter one : all) {
            if (one.name.equals(name)) {
                return one;
            }
        }
        return null;
    }

    /** What agents read: its description, and that it changes nothing, where this is so. */
    String told() {
        return readOnly ? description + " Changes nothing." : description;
    }

    /** A declaration that is not complete yet. */
    public static final class Builder {
        private final String name;
        private final String description;
        private final List<Parameter> parameters = new ArrayList<Parameter>();
        private final List<Parameter> results = new ArrayList<Parameter>();
        private boolean readOnly;
        private long seconds = USUAL_SECONDS;

        private Builder(String name, String description) {
            this.name = Texts.name(name, LONGEST_NAME, "tool");
            this.description = Texts.description(description, LONGEST_DESCRIPTION, name);
        }

        /** A parameter without which a call is refused. */
        public Builder requires(String name, Type type, String description) {
            return add(parameters, new Parameter(name, type, true, description));
        }

        /** A parameter that may be left out. */
        public Builder takes(String name, Type type, String description) {
            return add(parameters, new Parameter(name, type, false, description));
        }

        /** A value of the reply. */
        public Builder returns(String name, Type type, String description) {
            return add(results, new Parameter(name, type, false, description));
        }

        /** It changes nothing. */
        public Builder readOnly() {
            readOnly = true;
            return this;
        }

        /**
         * How long the caller waits at most, 25 seconds unless it is set. Handheld itself waits 30
         * seconds.
         */
        public Builder within(long seconds) {
            if (seconds < 1 || seconds > 600) {
                throw new IllegalArgumentException("A tool has 1 to 600 seconds: " + seconds);
            }
            this.seconds = seconds;
            return this;
        }

        /** Completes the declaration. */
        public Tool runs(Handler handler) {
            if (handler == null) {
                throw new IllegalArgumentException(name + " has no handler.");
            }
            return new Tool(this, handler);
        }

        private Builder add(List<Parameter> all, Parameter one) {
            if (find(all, one.name) != null) {
                throw new IllegalArgumentException(name + " has two values " + one.name + ".");
            }
            if (all.size() == MOST_PARAMETERS) {
                throw new IllegalArgumentException(name + " has over " + MOST_PARAMETERS + ".");
            }
            all.add(one);
            return this;
        }
    }
}
