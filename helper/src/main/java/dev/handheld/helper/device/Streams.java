package dev.handheld.helper.device;

import java.io.InputStream;
import java.io.OutputStream;

/** The two ends of the host's shell stream. */
public interface Streams {
    InputStream input();

    /** For frames alone: the output of other code must not get between them. */
    OutputStream output();
}
