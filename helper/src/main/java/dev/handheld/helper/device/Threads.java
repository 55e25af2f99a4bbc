package dev.handheld.helper.device;

/** Starts threads. */
public interface Threads {
    /** Run it on a new thread that does not keep the program alive. */
    void start(String name, Runnable work);
}
