package dev.handheld.helper.device;

/** Where the phone is. */
public final class Fix {
    public final double latitude;
    public final double longitude;
    /** In metres. Null where it is not known. */
    public final Double accuracy;
    public final String provider;
    /** How long ago it was found, in milliseconds. */
    public final long age;
    /** A test provider pretends it. */
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
