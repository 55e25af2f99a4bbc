package dev.handheld.helper.commands;

import dev.handheld.helper.device.Device;
import dev.handheld.helper.device.Display;
import dev.handheld.helper.device.Input;
import dev.handheld.helper.device.Pointer;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.Job;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A gesture as timed touch events. */
final class Gesture {
    private final Job job;
    private final Display display;
    private final double[][][] strokes;
    /** The fingers that are down, in order. */
    private final Map<Integer, Pointer> down = new LinkedHashMap<Integer, Pointer>();
    private double downTime;

    Gesture(Job job, Display display, double[][][] strokes) {
        this.job = job;
        this.display = display;
        this.strokes = strokes;
    }

    /** Reject what is impossible before anything is touched. */
    static void check(Device device, Display display, double[][][] strokes) {
        device.input().check();
        for (double[][] stroke : strokes) {
            for (double[] point : stroke) {
                checkInside(display, point[0], point[1]);
            }
        }
        if (!device.phone().isAwake()) {
            String message = "The screen is off: a touch would have no effect.";
            throw new Failure(Code.FAILED, message + " Wake the phone first.");
        }
    }

    private static void checkInside(Display display, double x, double y) {
        if (x >= 0 && x <= display.width && y >= 0 && y <= display.height) {
            return;
        }
        String size = display.width + " x " + display.height;
        String message = plain(x) + ", " + plain(y) + " is outside the screen, " + size + ".";
        throw new Failure(Code.OUTSIDE_SCREEN, message)
                .with("width", display.width)
                .with("height", display.height);
    }

    /** Format without the fraction where there is none. */
    static String plain(double number) {
        long whole = (long) number;
        return whole == number ? Long.toString(whole) : Double.toString(number);
    }

    /** Play it on the phone's clock. No finger stays on the screen, however it ends. */
    void play() {
        double start = job.device.clock().now();
        List<FingerSteps> fingers = new ArrayList<FingerSteps>();
        List<Step> nexts = new ArrayList<Step>();
        for (int finger = 0; finger < strokes.length; finger++) {
            double right = display.width - 1;
            FingerSteps steps =
                    new FingerSteps(finger, strokes[finger], right, display.height - 1);
            fingers.add(steps);
            nexts.add(steps.next());
        }
        try {
            for (Step step = take(fingers, nexts); step != null; step = take(fingers, nexts)) {
                double early = start + step.time - job.device.clock().now();
                if (early > 0) {
                    job.sleep(early);
                } else if (early < -FingerSteps.INTERVAL_MS && !step.given) {
                    continue; // the phone was busy: continue from where the finger would be
                }
                send(step);
            }
        } finally {
            if (!down.isEmpty()) {
                List<Pointer> pointers = new ArrayList<Pointer>(down.values());
                job.device.input().touch(Input.Touch.CANCEL, -1, pointers, downTime);
            }
        }
    }

    /** Return the earliest step of all fingers. */
    private static Step take(List<FingerSteps> fingers, List<Step> nexts) {
        int first = -1;
        for (int finger = 0; finger < nexts.size(); finger++) {
            Step step = nexts.get(finger);
            if (step != null && (first < 0 || step.isBefore(nexts.get(first)))) {
                first = finger;
            }
        }
        if (first < 0) {
            return null;
        }
        Step step = nexts.get(first);
        nexts.set(first, fingers.get(first).next());
        return step;
    }

    private void send(Step step) {
        Pointer before = down.get(step.finger);
        int id = before == null ? lowestFree() : before.id;
        Pointer pointer = new Pointer(id, step.x, step.y);
        if (step.action == Input.Touch.DOWN && down.isEmpty()) {
            downTime = job.device.clock().now();
        }
        Map<Integer, Pointer> now = new LinkedHashMap<Integer, Pointer>(down);
        now.put(step.finger, pointer);
        List<Pointer> pointers = new ArrayList<Pointer>(now.values());
        Input input = job.device.input();
        int changed = pointers.indexOf(pointer);
        boolean taken = input.touch(step.action, changed, pointers, downTime);
        if (!taken && step.action == Input.Touch.DOWN && down.isEmpty()) {
            // Nothing was touched, so a second attempt repeats nothing.
            takeBack(pointer);
            taken = input.touch(step.action, changed, pointers, downTime);
            if (!taken) {
                takeBack(pointer);
            }
        }
        if (!taken && step.action == Input.Touch.DOWN) {
            throw new Failure(Code.FAILED, "No window took the touch.");
        }
        // Not earlier: a phone that refuses the first touch has not been touched.
        job.happened(Happened.PARTLY);
        if (step.action == Input.Touch.UP) {
            down.remove(step.finger);
        } else {
            down.put(step.finger, pointer);
        }
    }

    /**
     * Cancel the pointers that Android believes to be down though none of ours is: the one that it
     * has just refused, or those of a program that was killed in the middle of a gesture. Since API
     * 36, and in some builds of 35, every new touch is refused until then, and so is a CANCEL that
     * does not list exactly those pointers
     * (frameworks/native/services/inputflinger/dispatcher/InputDispatcher.cpp). Their ids are not
     * known; they are numbered from 0.
     */
    private void takeBack(Pointer at) {
        List<Pointer> fingers = new ArrayList<Pointer>();
        boolean accepted = false;
        for (int id = 0; id < Strokes.FINGERS && !accepted; id++) {
            fingers.add(new Pointer(id, at.x, at.y));
            accepted = job.device.input().touch(Input.Touch.CANCEL, -1, fingers, downTime);
        }
    }

    /** Android gives a new pointer the lowest free id. */
    private int lowestFree() {
        int id = 0;
        boolean taken = true;
        while (taken) {
            taken = false;
            for (Pointer pointer : down.values()) {
                taken |= pointer.id == id;
            }
            id += taken ? 1 : 0;
        }
        return id;
    }
}
