package dev.handheld.helper.device;

/** Android's media index, which galleries and players read. */
public interface Media {
    /**
     * Scan a file that was added or removed. Blocks until that is done where Android reports it, so
     * it is called on a thread that can be abandoned. Throws on failure; the message completes a
     * sentence.
     */
    void scan(String path);
}
