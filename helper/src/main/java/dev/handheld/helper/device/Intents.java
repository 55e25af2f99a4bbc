package dev.handheld.helper.device;

import java.util.List;

/** Intents to components of the current user's apps. */
public interface Intents {
    /** The components that take it, the best first; of activities those that may be started. */
    List<Handler> find(IntentFields intent);

    /**
     * Start an activity that is given by its class, without waiting for it; return Android's code
     * for what it did: 0 to 3, or 100. `app_refused`, with Android's message, where the shell may
     * not; `no_component`, or `failed` for any other code. Nothing was started then.
     */
    int open(IntentFields intent);

    /**
     * Start a service that is given by its class. `app_refused`; `app_not_started` while its app is
     * in the background; `no_component`.
     */
    void start(IntentFields intent);

    /** Send a broadcast. `failed` for one that only the system may send. */
    void broadcast(IntentFields intent);
}
