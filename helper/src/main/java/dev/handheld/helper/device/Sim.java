package dev.handheld.helper.device;

/** An active SIM. */
public final class Sim {
    /** The subscription. */
    public final int id;
    /** From 0. */
    public final int slot;
    public final String displayName;
    public final String carrierName;

    public Sim(int id, int slot, String displayName, String carrierName) {
        this.id = id;
        this.slot = slot;
        this.displayName = displayName;
        this.carrierName = carrierName;
    }
}
