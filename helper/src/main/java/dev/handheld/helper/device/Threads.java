package dev.handheld.helper.device;

/** Where threads come from. */
public interface Threads {
    /** Run it on a thread of its own, which does not keep the program alive. */
    void start(String name, Runnable work);
}
