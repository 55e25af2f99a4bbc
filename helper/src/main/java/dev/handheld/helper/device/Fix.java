package dev.handheld.helper.device;

/** A location of the phone. */
public final class Fix {
    public final double latitude;
    public final double longitude;
    /** In metres; null if unknown. */
    public final Double accuracy;
    public final String provider;
    /** Its age in milliseconds. */
    public final long age;
    /** Whether it comes from a test provider. */
    public final boolean mock;

    public Fix(
            double latitude,
            double longitude,
            Double accuracy,
            String provider,
            long age,
            boolean mock) {
        this.latitude = latitude;
        this.longitude = longitude;
        this.accuracy = accuracy;
        this.provider = provider;
        this.age = age;
        this.mock = mock;
    }
}
