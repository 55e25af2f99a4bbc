/**
 * Tools that an Android app offers to the agents that use the phone.
 *
 * <p>A {@link dev.handheld.apptools.Tool} is declared once: its name, what it does, its parameters
 * with their types, and the code that runs it. {@link dev.handheld.apptools.ToolProvider}, {@link
 * dev.handheld.apptools.ToolService} and {@link dev.handheld.apptools.ToolFunctions} offer it in
 * one of three protocols: extend one of them, return the tools, and declare the class in the
 * manifest. {@link dev.handheld.apptools.Declarations} writes the files that two of the protocols
 * keep in the APK.
 *
 * <p>Arguments are checked against the declaration before a handler sees them, and every request is
 * answered once, whatever happens. Handlers run on worker threads, several at the same time.
 */
package dev.handheld.apptools;
