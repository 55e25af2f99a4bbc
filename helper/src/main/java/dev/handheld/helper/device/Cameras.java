package dev.handheld.helper.device;

import java.util.List;

/** The phone's cameras, one used at a time. `failed` where Android refuses. */
public interface Cameras {
    /** A video that is being recorded. */
    interface Recording {
        /** End it; return its length in milliseconds. */
        long finish();

        /** The file's size, once it has ended. */
        long bytes();

        /** A picture of it as JPEG; empty if there is none. */
        byte[] thumbnail();

        /** End it and remove the file. */
        void abort();
    }

    List<Camera> all();

    /** A photo as JPEG, of one of the camera's sizes. */
    Picture photo(String id, int[] size, int quality, String flash);

    Recording record(String id, int[] size, String flash, boolean audio, String path);
}
