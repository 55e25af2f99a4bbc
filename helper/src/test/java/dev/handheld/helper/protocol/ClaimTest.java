package dev.handheld.helper.protocol;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Which claim the phone accepts, and where it is kept. */
public final class ClaimTest {
    private static final String LONGEST = new String(new char[64]).replace('\0', 'x');
    private static final String[] BROKEN = {
        "", "7", "7:h", "0:h:n", "-1:h:n", "07:h:n", "7::n", "7:h:", "7:h i:n", "7:h:\u00e4",
        "9007199254740993:h:n", "7:" + LONGEST + "x:n", "7:h:" + LONGEST + "x", "\u0667:h:n",
    };

    @Rule public final TemporaryFolder folder = new TemporaryFolder();

    private File file() {
        return new File(folder.getRoot(), "claim");
    }

    private static Claim claim(String text) {
        Claim claim = Claim.read(text);
        assertEquals(text, claim.toString());
        return claim;
    }

    @Test
    public void whatIsNoClaimIsRefused() {
        for (String text : BROKEN) {
            assertNull(text, Claim.read(text));
        }
        claim("9007199254740992:" + LONGEST + ":" + LONGEST);
        claim("1:h:a:b");
    }

    @Test
    public void aHigherNumberIsAcceptedAndTheSameOfItsOwnHost() {
        Claim accepted = claim("7:desk:n");
        assertTrue(accepted.yieldsTo(claim("8:rack:n")));
        assertTrue(accepted.yieldsTo(claim("8:desk:n")));
        assertTrue(accepted.yieldsTo(claim("7:desk:renamed")));
        assertFalse(accepted.yieldsTo(claim("7:rack:n")));
        assertFalse(accepted.yieldsTo(claim("6:desk:n")));
        assertFalse(accepted.yieldsTo(claim("6:rack:n")));
    }

    @Test
    public void theFileKeepsTheLastThatWasAccepted() throws IOException {
        ClaimFile first = new ClaimFile(file());
        assertNull(first.accept(claim("100:" + LONGEST + ":" + LONGEST)));
        assertNull(first.later());
        ClaimFile second = new ClaimFile(file());
        assertEquals("100:" + LONGEST + ":" + LONGEST, second.accept(claim("9:r:r")).toString());
        assertNull(first.later());
        assertNull(second.accept(claim("101:r:r")));
        assertEquals("101:r:r", first.later().toString());
        assertNull(second.later());
        // Another stream of the same host.
        assertNull(new ClaimFile(file()).accept(claim("101:r:r")));
        assertEquals("101:r:r", second.later().toString());
    }

    @Test
    public void nobodyElseMayReadTheFile() throws IOException {
        new ClaimFile(file()).accept(claim("1:h:n"));
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(file().toPath())));
    }

    @Test
    public void aFileThatCannotBeReadIsNotTakenForNone() throws IOException {
        for (String content : new String[] {"x", "1 x", "0 1:h:n", " ", "\0\0\0", "1 1:h:n\n1"}) {
            Files.write(file().toPath(), content.getBytes(StandardCharsets.UTF_8));
            ClaimFile kept = new ClaimFile(file());
            try {
                kept.accept(claim("7:h:n"));
                fail(content);
            } catch (IOException expected) {
                assertNull(kept.later());
            }
        }
    }
}
