/**
 * The part of Android 16 that the library calls, to compile against: its class files are too new for
 * JDK 17. Not a part of the library, nor of any app. Checked against Android itself, as all
 * references of the library are.
 */
package android.app.appfunctions;
