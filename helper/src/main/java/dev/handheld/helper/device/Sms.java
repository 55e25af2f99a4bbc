package dev.handheld.helper.device;

import java.util.List;

/** SIMs and short messages. */
public interface Sms {
    /** Hears what becomes of a message. On any thread. */
    interface Listener {
        /** A part was sent, or not: Android's result code (-1 is well) and the radio's error. */
        void sent(int part, int result, int error);

        /** A part has arrived. */
        void delivered(int part);
    }

    /** The active ones, in the order of their slots. */
    List<Sim> sims();

    /** The subscription that messages go by when nobody says; -1 when the owner would be asked. */
    int defaultSim();

    /** The text in the parts that it is sent in. */
    List<String> divide(String text);

    /** Send it by that subscription, without waiting. */
    void send(int sim, String address, List<String> parts, Listener listener);
}
