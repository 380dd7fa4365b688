// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.nio.file.Path;
import quickfix.SessionID;
import quickfix.SessionSettings;

/** The FIX session between gateway and counterparty, with the configuration of each side. */
final class FixSession {
    private static final String GATEWAY = "GATEWAY";
    private static final String CLIENT = "CLIENT";

    static final SessionID OF_GATEWAY = new SessionID("FIX.4.4", GATEWAY, CLIENT);

    private FixSession() {}

    static SessionSettings acceptor(int port, Path messageStore) {
        SessionSettings settings = common(OF_GATEWAY, "acceptor");
        settings.setString("SocketAcceptAddress", "127.0.0.1");
        settings.setLong("SocketAcceptPort", port);
        // Sequence numbers and sent messages outlive the process, so FIX asks again for
        // messages that a crash swallowed.
        settings.setString("FileStorePath", messageStore.toString());
        return settings;
    }

    static SessionSettings initiator(int port) {
        SessionID session = new SessionID("FIX.4.4", CLIENT, GATEWAY);
        SessionSettings settings = common(session, "initiator");
        settings.setString("SocketConnectHost", "127.0.0.1");
        settings.setLong("SocketConnectPort", port);
        settings.setLong("HeartBtInt", 10);
        settings.setLong("ReconnectInterval", 1);
        return settings;
    }

    private static SessionSettings common(SessionID session, String connectionType) {
        SessionSettings settings = new SessionSettings();
        settings.setString("ConnectionType", connectionType);
        settings.setString("NonStopSession", "Y");
        settings.setString("SocketTcpNoDelay", "Y");
        settings.setString(session, "BeginString", session.getBeginString());
        settings.setString(session, "SenderCompID", session.getSenderCompID());
        settings.setString(session, "TargetCompID", session.getTargetCompID());
        settings.setString(session, "DataDictionary", "FIX44.xml");
        return settings;
    }
}
