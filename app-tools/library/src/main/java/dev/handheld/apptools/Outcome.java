package dev.handheld.apptools;

/** How a call ended. */
final class Outcome {
    enum End {
        DONE,
        DENIED,
        UNKNOWN_TOOL,
        BAD_ARGUMENT,
        CANCELLED,
        FAILED
    }

    final End end;
    /** For the agent: the tool's message after a success, otherwise what is wrong. */
    final String message;
    /** Only after a success. */
    final Reply reply;

    private Outcome(End end, String message, Reply reply) {
        this.end = end;
        this.message = message;
        this.reply = reply;
    }

    static Outcome done(Reply reply) {
        return new Outcome(End.DONE, reply.message, reply);
    }

    static Outcome not(End why, String message) {
        return new Outcome(why, message, null);
    }
}
