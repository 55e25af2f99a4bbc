package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Display;
import dev.handheld.helper.device.Streams;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/** One run of the helper over one pair of byte streams. */
public final class Session {
    private static final double PATIENCE_MS = 500;
    private static final int UNSET = -1;

    private final Device device;
    private final Streams streams;
    private final FrameWriter writer;
    private final Map<String, Command> commands;
    private final Calls calls;
    private final Watch watch;
    private final Silence silence;
    private final Hold hold;
    private final Object end = new Object();
    /** Kept for as long as we run: a collected lock would be released. */
    private HolderLock lock;
    private long lastCall;
    private int code = UNSET;

    public Session(Device device, Streams streams, Map<String, Command> commands) {
        this.device = device;
        this.streams = streams;
        this.commands = commands;
        writer = new FrameWriter(streams.output());
        hold = new Hold(device);
        Runnable broken =
                new Runnable() {
                    @Override
                    public void run() {
                        halt(1);
                    }
                };
        calls = new Calls(device, writer, commands, hold, broken);
        watch = new Watch(device.clock(), calls, hold);
        silence = new Silence(device.clock(), broken);
        calls.setWatch(watch);
    }

    /**
     * Serve until the host disconnects; return the exit code.
     *
     * @param build the build id of this program
     * @param holder who started it
     * @param lockFile the lock file that keeps a second helper off the phone
     */
    public int run(String build, Map<String, Object> holder, File lockFile) throws IOException {
        lock = new HolderLock(lockFile);
        Map<String, Object> other = lock.take(holder);
        if (other != null) {
            Failure failure = new Failure(Code.IN_USE, "Another Handheld holds this phone.");
            failure.data().putAll(other);
            writer.greet(Kind.ERROR, failure.encode());
            return 1;
        }
        device.screen()
                .listen(
                        new Runnable() {
                            @Override
                            public void run() {
                                calls.wakeAll();
                            }
                        });
        writer.greet(Kind.HELLO, JsonWriter.bytes(hello(build)));
        device.threads()
                .start(
                        "reader",
                        new Runnable() {
                            @Override
                            public void run() {
                                halt(read());
                            }
                        });
        device.threads().start("watch", watch);
        device.threads().start("silence", silence);
        int ended = await(Double.POSITIVE_INFINITY);
        calls.close(PATIENCE_MS);
        // UiAutomation ends with the process: Android notices its death, and restores no rotation.
        lock.free();
        return ended;
    }

    private Map<String, Object> hello(String build) {
        Map<String, Object> hello = new LinkedHashMap<String, Object>();
        hello.put("build", build);
        hello.put("api", device.phone().api());
        hello.put("features", new ArrayList<Object>(commands.keySet()));
        hello.put("boot_id", device.phone().bootId());
        hello.put("user", device.phone().user());
        hello.put("display", display(device.screen().display()));
        return hello;
    }

    public static Map<String, Object> display(Display display) {
        Map<String, Object> values = new LinkedHashMap<String, Object>();
        values.put("width", display.width);
        values.put("height", display.height);
        values.put("density", display.density);
        values.put("rotation", display.rotation);
        return values;
    }

    private int read() {
        Runnable received =
                new Runnable() {
                    @Override
                    public void run() {
                        silence.received();
                    }
                };
        FrameReader reader = new FrameReader(streams.input(), received);
        try {
            for (Frame frame = reader.read(); frame != null; frame = reader.read()) {
                receive(frame);
            }
            return 0;
        } catch (ProtocolError problem) {
            System.err.println(problem.getMessage());
            return 1;
        } catch (IOException problem) {
            return 1;
        }
    }

    private void receive(Frame frame) throws ProtocolError, IOException {
        switch (frame.kind) {
            case Kind.CALL:
                if (frame.call <= lastCall) {
                    throw new ProtocolError("Call numbers rise.");
                }
                lastCall = frame.call;
                calls.admit(frame.call, frame.payload);
                break;
            case Kind.CANCEL:
                calls.cancel(frame.call);
                break;
            case Kind.PING:
                writer.write(Kind.PONG, frame.call, new byte[0]);
                break;
            default:
                throw new ProtocolError("A host sends CALL, CANCEL and PING.");
        }
    }

    /** Exit with that code, unless another was set first. */
    private void halt(int with) {
        synchronized (end) {
            if (code == UNSET) {
                code = with;
                device.clock().wake(end);
            }
        }
    }

    private int await(double until) {
        synchronized (end) {
            while (code == UNSET) {
                device.clock().await(end, until);
            }
            return code;
        }
    }
}
