package dev.handheld.helper.device;

/** Plain threads. */
public final class DaemonThreads implements Threads {
    @Override
    public void start(String name, Runnable work) {
        Thread thread = new Thread(work, "handheld-" + name);
        thread.setDaemon(true);
        thread.start();
    }
}
