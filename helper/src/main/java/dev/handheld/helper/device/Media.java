package dev.handheld.helper.device;

/** Android's index of files, in which galleries and players look them up. */
public interface Media {
    /**
     * Look at a file that came or went, so that the index has it, or has it no more. Blocks until
     * that is done where Android tells of it, so it is called on a thread that can be left behind.
     * Throws what went wrong, whose message is words to end a sentence with.
     */
    void scan(String path);
}
