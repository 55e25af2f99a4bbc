package org.example.teashop;

import dev.handheld.apptools.ToolFunctions;
import dev.handheld.apptools.Tools;

public final class TeaFunctions extends ToolFunctions {
    @Override
    protected Tools tools() {
        return TeaTools.FUNCTIONS;
    }
}
