package org.example.teashop;

import dev.handheld.apptools.ToolProvider;
import dev.handheld.apptools.Tools;

public final class TeaProvider extends ToolProvider {
    @Override
    protected Tools tools() {
        return TeaTools.PROVIDER;
    }
}
