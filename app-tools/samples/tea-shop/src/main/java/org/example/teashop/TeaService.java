package org.example.teashop;

import dev.handheld.apptools.ToolService;
import dev.handheld.apptools.Tools;

public final class TeaService extends ToolService {
    @Override
    protected Tools tools() {
        return TeaTools.SERVICE;
    }
}
