package dev.handheld.helper.device;

import java.io.InputStream;
import java.io.OutputStream;

/** The two ends of the shell stream that the host speaks over. */
public interface Streams {
    InputStream input();

    /** Ours alone: what other code in this program prints must not get between our frames. */
    OutputStream output();
}
