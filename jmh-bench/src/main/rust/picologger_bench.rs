// SPDX-License-Identifier: Apache-2.0
//! Messages of 99 bytes to the crate picologger, as fast as they go, each timed, with the settings of its own benchmark.
//! Of one in 64 it is timed too when the crate says that it has reached the disk.
//!
//!     picologger_bench LOG_FILE MESSAGES RESULTS
//!
//! RESULTS gets unsigned 64-bit numbers, little-endian: nanoseconds until all were submitted, until the last one had
//! reached the disk, of each submission, and then of each timed way to the disk.

use picologger::Logger;
use std::sync::mpsc::sync_channel;
use std::time::Instant;
use std::{env, fs, thread};

const BYTES: usize = 99;
const SLOTS: usize = 4096;
const FLUSH_NANOS: u64 = 1_000_000;
const POLL_NANOS: u64 = 10_000;
const TIMED: u64 = 64;
const FILE_BYTES_OF_MESSAGE: u64 = 128;

#[derive(Clone, Copy)]
#[repr(C)]
struct Message {
    bytes: [u8; BYTES],
}

impl Default for Message {
    fn default() -> Self {
        Message { bytes: [b'x'; BYTES] }
    }
}

fn await_on_disk(sequence: u64) {
    while Logger::<Message>::get_last_flushed_entry() < sequence {
        thread::yield_now();
    }
}

fn nanos(since: Instant) -> u64 {
    since.elapsed().as_nanos() as u64
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let messages: u64 = arguments[2].parse().expect("MESSAGES is a number");
    let warm_up = messages / 10;
    let file_bytes = (messages + warm_up) * FILE_BYTES_OF_MESSAGE;
    let mut logger = Logger::<Message>::new().with_write_config(
        arguments[1].clone(),
        SLOTS,
        FLUSH_NANOS,
        POLL_NANOS,
        file_bytes,
    );
    logger.start().expect("picologger starts");
    let message = Message::default();
    let mut last = 0;
    for _ in 0..warm_up {
        last = logger.log(message).expect("a sequence");
    }
    await_on_disk(last);

    let (sender, timed) = sync_channel::<(u64, Instant)>((messages / TIMED + 1) as usize);
    let watcher = thread::spawn(move || {
        let mut lags = Vec::new();
        while let Ok((sequence, begin)) = timed.recv() {
            await_on_disk(sequence);
            lags.push(nanos(begin));
        }
        lags
    });
    let mut submits = vec![0u64; messages as usize];
    let start = Instant::now();
    for i in 0..messages {
        let begin = Instant::now();
        last = logger.log(message).expect("a sequence");
        submits[i as usize] = nanos(begin);
        if i % TIMED == 0 {
            sender.send((last, begin)).expect("the watcher lives");
        }
    }
    let submitted = nanos(start);
    await_on_disk(last);
    let on_disk = nanos(start);
    drop(sender);
    let lags = watcher.join().expect("the watcher ends");
    let mut bytes = Vec::new();
    for value in [submitted, on_disk].iter().chain(&submits).chain(&lags) {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    fs::write(&arguments[3], bytes).expect("results are written");
}
