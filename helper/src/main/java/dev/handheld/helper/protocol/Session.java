package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Display;
import dev.handheld.helper.device.Streams;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** One run of the helper over one pair of byte streams. */
public final class Session {
    private static final double PATIENCE_MS = 500;
    private static final double RETRY_MS = 20;
    private static final int UNSET = -1;
    private static final int SUCCEEDED = 3;

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
    /** Null without a claim. */
    private Successor successor;
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
        watch = new Watch(device.clock(), calls, hold, broken);
        silence = new Silence(device.clock(), broken);
        calls.setWatch(watch);
    }

    /**
     * Serve until the host disconnects; return the exit code.
     *
     * @param build the build id of this program
     * @param holder who started it
     * @param claim by which the phone accepts the host; null for a host without one
     * @param lockFile the lock file that keeps a second helper off the phone
     * @param claimFile the claim that the phone has accepted
     * @param leftFile what hosts changed and have not put back
     */
    public int run(
            String build,
            Map<String, Object> holder,
            Claim claim,
            File lockFile,
            File claimFile,
            File leftFile)
            throws IOException {
        lock = new HolderLock(lockFile);
        Failure refused = claim == null ? take(holder) : accept(holder, claim, claimFile);
        if (refused != null) {
            writer.greet(Kind.ERROR, refused.encode());
            return 1;
        }
        Unfinished.remove(leftFile.getParentFile(), System.currentTimeMillis());
        Runnable changed =
                new Runnable() {
                    @Override
                    public void run() {
                        calls.wakeAll();
                    }
                };
        device.screen().listen(changed);
        device.notifications().listen(changed);
        Map<String, Object> hello = hello(build, claim);
        addLeft(hello, leftFile);
        writer.greet(Kind.HELLO, JsonWriter.bytes(hello));
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
        if (successor != null) {
            device.threads().start("successor", successor);
        }
        int ended = await(Double.POSITIVE_INFINITY);
        calls.close(PATIENCE_MS);
        if (ended == SUCCEEDED && successor.claim() != null) {
            tell(claimed(successor.claim(), true));
        }
        // UiAutomation ends with the process: Android notices its death, and restores no rotation.
        lock.free();
        return ended;
    }

    // Who may use the phone

    /** Take the lock; return null, or why it failed. */
    private Failure take(Map<String, Object> holder) throws IOException {
        Map<String, Object> other = lock.take(holder);
        return other == null ? null : inUse(other);
    }

    /**
     * Let the phone accept the claim: it then accepts no former one, and a helper under one ends.
     * Return null, or why it was refused.
     */
    private Failure accept(Map<String, Object> holder, Claim claim, File claimFile)
            throws IOException {
        Map<String, Object> claiming = new LinkedHashMap<String, Object>(holder);
        claiming.put("claim", claim.values());
        try {
            ClaimFile file = new ClaimFile(claimFile);
            Claim other = file.accept(claim);
            if (other != null) {
                return claimed(other, lock.isTaken());
            }
            double until = device.clock().now() + Limits.TAKE_OVER_MS;
            Map<String, Object> held = lock.take(claiming);
            while (held != null && isClaiming(held) && device.clock().now() < until) {
                pause();
                other = file.later();
                if (other != null) {
                    return claimed(other, true);
                }
                held = lock.take(claiming);
            }
            if (held != null) {
                return inUse(held);
            }
            successor =
                    new Successor(
                            device.clock(),
                            file,
                            new Runnable() {
                                @Override
                                public void run() {
                                    halt(SUCCEEDED);
                                }
                            });
            return null;
        } catch (IOException problem) {
            String message =
                    "The phone cannot keep the claim of its host (" + problem.getMessage() + ").";
            return new Failure(Code.FAILED, message + " If it stays so, remove " + claimFile + ".");
        }
    }

    /**
     * Whether that holder ends when another claim is accepted: one without a claim does not look
     * for others. One that has just taken the lock has not written its name yet.
     */
    private static boolean isClaiming(Map<String, Object> holder) {
        return holder.isEmpty() || holder.containsKey("claim");
    }

    private static Failure inUse(Map<String, Object> other) {
        Failure failure = new Failure(Code.IN_USE, "Another Handheld holds this phone.");
        failure.data().putAll(other);
        return failure;
    }

    private static Failure claimed(Claim other, boolean live) {
        String who = "The host " + other.name + " has claimed this phone, by number " + other.epoch;
        Failure failure = new Failure(Code.CLAIMED, who + ".");
        failure.data().putAll(other.values());
        return failure.with("live", live);
    }

    private void pause() {
        Object nobody = new Object();
        synchronized (nobody) {
            device.clock().await(nobody, device.clock().now() + RETRY_MS);
        }
    }

    /** Tell the host why this stream ends. It may have stopped reading, so wait only briefly. */
    private void tell(final Failure failure) {
        final boolean[] told = new boolean[1];
        device.threads()
                .start(
                        "last",
                        new Runnable() {
                            @Override
                            public void run() {
                                try {
                                    writer.write(Kind.ERROR, 0, failure.encode());
                                } catch (IOException problem) {
                                    System.err.println(problem);
                                }
                                synchronized (told) {
                                    told[0] = true;
                                    device.clock().wake(told);
                                }
                            }
                        });
        double until = device.clock().now() + PATIENCE_MS;
        synchronized (told) {
            while (!told[0] && device.clock().now() < until) {
                device.clock().await(told, until);
            }
        }
    }

    private Map<String, Object> hello(String build, Claim claim) {
        Map<String, Object> hello = new LinkedHashMap<String, Object>();
        hello.put("build", build);
        hello.put("api", device.phone().api());
        hello.put("features", new ArrayList<Object>(commands.keySet()));
        hello.put("boot_id", device.phone().bootId());
        hello.put("user", device.phone().user());
        hello.put("display", display(device.screen().display()));
        if (claim != null) {
            hello.put("claim", claim.values());
        }
        return hello;
    }

    /**
     * What killed programs left on the phone: the clip is removed here, and the host puts the rest
     * back.
     */
    private void addLeft(Map<String, Object> hello, File leftFile) {
        if (device.clipboard().dropPassing()) {
            hello.put("put_back", Collections.singletonList("clipboard"));
        }
        if (!leftFile.exists()) {
            return;
        }
        try (RandomAccessFile file = new RandomAccessFile(leftFile, "r")) {
            byte[] content = new byte[Limits.LEFT];
            int size = Math.max(file.read(content), 0);
            hello.put("left", new String(content, 0, size, StandardCharsets.ISO_8859_1));
        } catch (IOException unreadable) {
            System.err.println("What hosts left changed is not known: " + unreadable.getMessage());
        }
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
