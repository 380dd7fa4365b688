// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Processes run on nodes: hosts with an address and a disk each. */
interface Nodes {

    /** This host, whatever a node is called. */
    Nodes LOOPBACK = new Nodes() {
        @Override
        public String address() {
            return "127.0.0.1";
        }

        @Override
        public String address(String node) {
            return address();
        }

        @Override
        public List<String> on(String node) {
            return List.of();
        }

        @Override
        public void disk(Path folder) {}
    };

    /** {@return the address of this process} */
    String address();

    /** {@return the address of a node, which is made if there is none of the name} */
    String address(String node) throws IOException;

    /** {@return what starts a command on the node, before the command} */
    List<String> on(String node);

    /** Makes an empty folder a disk of its own, if nodes have such. */
    void disk(Path folder) throws IOException;
}
