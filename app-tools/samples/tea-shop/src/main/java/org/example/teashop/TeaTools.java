package org.example.teashop;

import dev.handheld.apptools.Call;
import dev.handheld.apptools.Reply;
import dev.handheld.apptools.Tool;
import dev.handheld.apptools.ToolFailed;
import dev.handheld.apptools.Tools;
import dev.handheld.apptools.Type;
import org.json.JSONArray;

/** What the shop offers to agents, each tool declared once. */
final class TeaTools {
    private static final int LONGEST_MINUTES = 10;
    private static final int MOST_GRAMS = 50;
    private static final int CUPS_OF_A_POT = 4;
    private static final int TICK_MS = 100;

    /** By Mobile MCP. */
    static final Tools SERVICE =
            Tools.of(
                    Tool.named("brew_tea", "Brews a cup of tea.")
                            .requires("minutes", Type.INTEGER, "How long, 1 to 10")
                            .takes("tea", Type.STRING, "A tea of list_teas; green if left out")
                            .returns("cups", Type.INTEGER, "How many cups there are now")
                            .runs(
                                    new Tool.Handler() {
                                        @Override
                                        public Reply run(Call call) throws ToolFailed {
                                            return brew(call);
                                        }
                                    }),
                    Tool.named("list_teas", "Lists the teas of the shop.")
                            .readOnly()
                            .returns("teas", Type.ARRAY, "Their names")
                            .runs(
                                    new Tool.Handler() {
                                        @Override
                                        public Reply run(Call call) {
                                            JSONArray teas = new JSONArray(Shelf.TEAS);
                                            return Reply.of("").with("teas", teas);
                                        }
                                    }),
                    Tool.named("steep_tea", "Waits beside the pot.")
                            .readOnly()
                            .requires("seconds", Type.INTEGER, "How long, 1 to 20")
                            .runs(
                                    new Tool.Handler() {
                                        @Override
                                        public Reply run(Call call) throws Exception {
                                            return steep(call);
                                        }
                                    }));

    /** By a content provider. */
    static final Tools PROVIDER =
            Tools.of(
                    Tool.named("drink_tea", "Drinks some cups of tea.")
                            .requires("cups", Type.INTEGER, "How many")
                            .runs(
                                    new Tool.Handler() {
                                        @Override
                                        public Reply run(Call call) throws ToolFailed {
                                            long cups = call.integer("cups");
                                            long left = Shelf.of(call.context()).take(cups);
                                            return Reply.of(left + " cups are left.");
                                        }
                                    }));

    /** As app functions, on Android 16 and newer. */
    static final Tools FUNCTIONS =
            Tools.of(
                    Tool.named("brew_pot", "Brews a pot of tea.")
                            .requires("grams", Type.NUMBER, "How much tea, up to 50 g")
                            .takes("note", Type.STRING, "What to write on the pot")
                            .returns("cups", Type.INTEGER, "How many cups there are now")
                            .runs(
                                    new Tool.Handler() {
                                        @Override
                                        public Reply run(Call call) throws ToolFailed {
                                            return brewPot(call);
                                        }
                                    }));

    private TeaTools() {}

    private static Reply brew(Call call) throws ToolFailed {
        long minutes = call.integer("minutes");
        if (minutes < 1 || minutes > LONGEST_MINUTES) {
            throw new ToolFailed("minutes is a whole number from 1 to 10.");
        }
        if (call.has("tea") && !Shelf.TEAS.contains(call.text("tea"))) {
            throw new ToolFailed("There is no such tea. Ask list_teas.");
        }
        return Reply.of("The tea is ready.").with("cups", Shelf.of(call.context()).add(1));
    }

    private static Reply steep(Call call) throws Exception {
        long seconds = call.integer("seconds");
        if (seconds < 1 || seconds > 20) {
            throw new ToolFailed("seconds is a whole number from 1 to 20.");
        }
        for (long left = seconds * 1000; left > 0 && !call.isCancelled(); left -= TICK_MS) {
            Thread.sleep(TICK_MS);
        }
        return Reply.of("The tea has steeped.");
    }

    private static Reply brewPot(Call call) throws ToolFailed {
        double grams = call.number("grams");
        if (grams <= 0 || grams > MOST_GRAMS) {
            throw new ToolFailed("A pot takes up to 50 g.");
        }
        String note = call.has("note") ? " It says: " + call.text("note") : "";
        return Reply.of("The pot is ready." + note)
                .with("cups", Shelf.of(call.context()).add(CUPS_OF_A_POT));
    }
}
