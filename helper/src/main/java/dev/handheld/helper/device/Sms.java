package dev.handheld.helper.device;

import java.util.List;

/** SIMs and short messages. */
public interface Sms {
    /** SmsManager's result for a part that was sent. */
    int RESULT_OK = -1;

    /** Receives the results of a message, on any thread. */
    interface Listener {
        /** Called for each part, counted from 0, with {@link #RESULT_OK} or another result. */
        void reported(int part, int result);
    }

    /** The active SIMs, by slot. */
    List<Sim> sims();

    /**
     * Pass a text, divided by divideMessage, to SmsManager for that subscription, without waiting
     * for the network. Return the number of its parts.
     */
    int send(int subscription, String to, String text, Listener listener);
}
