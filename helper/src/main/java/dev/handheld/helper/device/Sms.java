package dev.handheld.helper.device;

import java.util.List;

/** SIMs and short messages. */
public interface Sms {
    /** What SmsManager says when a part was sent. */
    int RESULT_OK = -1;

    /** Hears what becomes of a message. On any thread. */
    interface Listener {
        /** The phone has reported a part, counted from 0: {@link #RESULT_OK} or why not. */
        void reported(int part, int result);
    }

    /** The active ones, by their slots. */
    List<Sim> sims();

    /**
     * Hand a text to SmsManager for that subscription, divided by divideMessage, without waiting
     * for the network. How many parts it has.
     */
    int send(int subscription, String to, String text, Listener listener);
}
