package dev.handheld.helper.device;

/** An active SIM. */
public final class Sim {
    /** The subscription. */
    public final int id;
    /** From 0. */
    public final int slot;
    public final String name;
    public final String carrier;
    /** Null where it is not known. */
    public final String number;

    public Sim(int id, int slot, String name, String carrier, String number) {
        this.id = id;
        this.slot = slot;
        this.name = name;
        this.carrier = carrier;
        this.number = number;
    }
}
