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
    /** For the agent: of a success what the tool says, else what is wrong. */
    final String message;
    /** Of a success only. */
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
